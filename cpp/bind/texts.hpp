// The results of a language model for many sentences: figures of prefixes, and drawn sentences.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "parse/language.hpp"

namespace bistro::bind {

struct PrefixArrays {
    std::vector<double> log_prefix, lexical, log_joint;

    void add(const PrefixFigures& row) {
        log_prefix.push_back(row.log_prefix);
        lexical.push_back(row.lexical);
        log_joint.push_back(row.log_joint);
    }

    nb::dict give_all() {
        nb::dict out;
        out["log_prefix"] = give(std::move(log_prefix));
        out["lexical"] = give(std::move(lexical));
        out["log_joint"] = give(std::move(log_joint));
        return out;
    }
};

// `complete` is 0 for sentences that reached the length limit before their end.
struct GeneratedArrays {
    std::vector<std::int32_t> words, tags, heads, labels;
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint8_t> complete;

    void add(const Generated& made) {
        words.insert(words.end(), made.words.begin(), made.words.end());
        tags.insert(tags.end(), made.tags.begin(), made.tags.end());
        heads.insert(heads.end(), made.heads.begin(), made.heads.end());
        labels.insert(labels.end(), made.labels.begin(), made.labels.end());
        offsets.push_back(static_cast<std::int64_t>(words.size()));
        complete.push_back(made.complete);
    }

    nb::dict give_all() {
        nb::dict out;
        out["words"] = give(std::move(words));
        out["tags"] = give(std::move(tags));
        out["heads"] = give(std::move(heads));
        out["labels"] = give(std::move(labels));
        out["offsets"] = give(std::move(offsets));
        out["complete"] = give(std::move(complete));
        return out;
    }
};

}  // namespace bistro::bind
