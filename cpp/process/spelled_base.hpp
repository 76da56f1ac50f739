// A base over strings: an outcome is spelled, character by character, by another franchise.
//
// A table opened at depth 0 adds a whole word to it, with one customer for each of its characters and one for its end.
// Every string has a probability, so new outcomes can be added at any time (the nested Pitman-Yor process of Mochihashi,
// Yamada & Ueda 2009).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hpyp/franchise.hpp"

namespace bistro {

class SpelledBase final : public Base {
public:
    // `end` is the dish that ends a word; the context of the first character is the element `end` itself.
    SpelledBase(std::shared_ptr<Franchise> characters, std::int32_t end) : characters_(std::move(characters)), end_(end) {
        if (!characters_ || end < 0 || end >= characters_->base().dishes())
            throw std::invalid_argument("the end of a word must be among the characters");
    }

    std::int32_t dishes() const override { return static_cast<std::int32_t>(begins_.size()) - 1; }
    bool learns() const override { return true; }

    // Numbers a new outcome.
    std::int32_t append(std::span<const std::int32_t> word) {
        for (const std::int32_t c : word)
            if (c < 0 || c >= characters_->base().dishes() || c == end_) throw std::invalid_argument("a character is out of range");
        // Stored between two ends, so that the first character has a context.
        letters_.push_back(end_);
        letters_.insert(letters_.end(), word.begin(), word.end());
        letters_.push_back(end_);
        begins_.push_back(letters_.size());
        return dishes() - 1;
    }

    double probability(std::int32_t dish) const override {
        if (dish < 0 || dish >= dishes()) return 0.0;
        return probability_of({letters_.data() + begins_[dish], letters_.data() + begins_[dish + 1]});
    }

    // The probability of a word that need not be numbered.
    double probability_of_word(std::span<const std::int32_t> word) const {
        std::vector<std::int32_t> letters{end_};
        letters.insert(letters.end(), word.begin(), word.end());
        letters.push_back(end_);
        return probability_of(letters);
    }

    void add(std::int32_t dish, Stream& rng) override {
        each(dish, [&](std::uint32_t entry) { characters_->add(entry, rng); });
    }
    void remove(std::int32_t dish, Stream& rng) override {
        each(dish, [&](std::uint32_t entry) { characters_->remove(entry, rng); });
    }

private:
    struct Back {
        const std::int32_t* end;
        std::int32_t operator()(int k) const { return end[-1 - k]; }
    };

    double probability_of(std::span<const std::int32_t> letters) const {
        double product = 1;
        std::vector<std::uint32_t> path(characters_->levels());
        for (std::size_t i = 1; i < letters.size(); ++i) {
            const int reached = characters_->descend(Back{letters.data() + i}, depth(i), path.data());
            product *= characters_->probability_on_path(path.data(), reached, static_cast<std::uint32_t>(letters[i]));
        }
        // The probability of a word of many hundred characters underflows, but its base must still be above 0.
        return std::max(product, 1e-300);
    }

    template <class Visit>
    void each(std::int32_t dish, const Visit& visit) {
        const std::size_t begin = begins_.at(dish), size = begins_.at(dish + 1) - begin;
        for (std::size_t i = 1; i < size; ++i)
            visit(characters_->resolve(Back{letters_.data() + begin + i}, depth(i), letters_[begin + i], path_));
    }

    int depth(std::size_t length) const {
        return static_cast<int>(std::min<std::size_t>(length, static_cast<std::size_t>(characters_->levels()) - 1));
    }

    std::shared_ptr<Franchise> characters_;
    std::int32_t end_;
    std::vector<std::int32_t> letters_;
    std::vector<std::size_t> begins_{0};
    std::vector<std::uint32_t> path_;
};

}  // namespace bistro
