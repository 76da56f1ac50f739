// A model of rules in terms of a finer grammar, whose symbols and rules are copies of the model's that depend on their
// position.
//
// A search over the finer grammar uses the finer numbers in its queries. The model answers for the symbols and rules that
// they stand for.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "infinite/grammar.hpp"
#include "infinite/rule_model.hpp"

namespace bistro {

// The identity mapping, for a search over the model's own grammar.
struct Untranslated {
    std::int32_t symbol(std::int32_t number) const { return number; }
    std::int32_t rule(std::int32_t number) const { return number; }
};

// The model's symbol or rule for each symbol and rule of a finer grammar.
struct Translation {
    std::vector<std::int32_t> symbol_of, rule_of;

    std::int32_t symbol(std::int32_t number) const { return symbol_of[number]; }
    std::int32_t rule(std::int32_t number) const { return rule_of[number]; }

    void check(const Grammar& finer, const Grammar& coarser) const {
        bool good = static_cast<int>(symbol_of.size()) == finer.symbols() && static_cast<int>(rule_of.size()) == finer.rules();
        for (const std::int32_t symbol : symbol_of) good = good && symbol >= 0 && symbol < coarser.symbols();
        for (const std::int32_t rule : rule_of) good = good && rule >= 0 && rule < coarser.rules();
        for (int rule = 0; good && rule < finer.rules(); ++rule) good = stands_for(finer, rule, coarser);
        if (!good) throw std::invalid_argument("the symbols and rules of the finer grammar do not match the grammar of the model");
    }

private:
    bool stands_for(const Grammar& finer, int rule, const Grammar& coarser) const {
        const int other = rule_of[rule];
        auto same = [&](int a, int b) { return a < 0 || b < 0 ? a == b : symbol_of[a] == b; };
        return same(finer.left(rule), coarser.left(other)) && same(finer.first(rule), coarser.first(other)) &&
               same(finer.second(rule), coarser.second(other));
    }
};

template <RuleModel Model>
class TranslatedModel {
public:
    TranslatedModel(const Model& model, const Translation& translation, bool contexts_of_rules)
        : model_(&model), translation_(&translation), by_rules_(contexts_of_rules) {}

    Place locate(std::span<const std::int32_t> nearest_first) const {
        std::vector<std::int32_t> context(nearest_first.begin(), nearest_first.end());
        for (std::size_t i = 0; i < context.size(); ++i)
            context[i] = by_rules_ && i > 0 ? translation_->rule(context[i]) : translation_->symbol(context[i]);
        return model_->locate(context);
    }
    double probability(Place place, std::int32_t rule) const { return model_->probability(place, translation_->rule(rule)); }
    int depth_bound() const { return model_->depth_bound(); }

private:
    const Model* model_;
    const Translation* translation_;
    bool by_rules_;
};

}  // namespace bistro
