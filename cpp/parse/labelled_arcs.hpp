// The joint probability of every head and label of a word, summed arc by arc.
#pragma once

#include <cstdint>
#include <vector>

namespace bistro {

struct LabelledArc {
    std::int32_t head, label;  // label -1: the remainder of the arc's probability
    double probability;
};
using LabelledArcs = std::vector<std::vector<LabelledArc>>;  // by word

// Labels are not computed for arcs with a probability below kLeastArc, or for parts of an arc with a probability below
// kLeastMass. Arcs with a probability below kLeastMass, and labels with a share of their arc below kLeastLabel, are not
// listed.
inline constexpr double kLeastArc = 1e-3, kLeastMass = 1e-6, kLeastLabel = 1e-2;

// The arcs of one word. All masses are added first, and then the labels of the arcs that are probable enough.
class ArcSums {
public:
    // Heads below `heads` are looked up in a table, other heads by a search of all arcs so far.
    explicit ArcSums(int heads = 0) : place_(static_cast<std::size_t>(heads), -1) {}

    void add(std::int32_t head, double mass) { at(head).total += mass; }

    // Sums by label, to which the caller adds; null for an arc whose labels are not computed.
    std::vector<double>* labels(std::int32_t head, std::size_t num_labels) {
        Arc& arc = at(head);
        if (arc.total < kLeastArc) return nullptr;
        arc.by_label.resize(num_labels);
        return &arc.by_label;
    }

    // The values of one head sum to its probability.
    std::vector<LabelledArc> list() const {
        std::vector<LabelledArc> out;
        for (const Arc& arc : arcs_) {
            if (arc.total < kLeastMass) continue;
            double rest = arc.total;
            for (std::size_t l = 0; l < arc.by_label.size(); ++l)
                if (const double p = arc.by_label[l]; p > kLeastLabel * arc.total) {
                    out.push_back({arc.head, static_cast<std::int32_t>(l), p});
                    rest -= p;
                }
            if (rest > 0) out.push_back({arc.head, -1, rest});
        }
        return out;
    }

private:
    struct Arc {
        std::int32_t head;
        double total;
        std::vector<double> by_label;
    };

    Arc& at(std::int32_t head) {
        if (static_cast<std::size_t>(head) < place_.size()) {
            std::int32_t& place = place_[static_cast<std::size_t>(head)];
            if (place < 0) place = static_cast<std::int32_t>(arcs_.size()), arcs_.push_back({head, 0.0, {}});
            return arcs_[static_cast<std::size_t>(place)];
        }
        for (Arc& arc : arcs_)
            if (arc.head == head) return arc;
        return arcs_.emplace_back(Arc{head, 0.0, {}});
    }

    std::vector<Arc> arcs_;            // in the order of their first mass
    std::vector<std::int32_t> place_;  // by head: its index in arcs_, or -1
};

}  // namespace bistro
