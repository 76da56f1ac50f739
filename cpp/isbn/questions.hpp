// Decision probabilities of several stages. Decisions among the outcomes of the same group are computed together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isbn/ranking.hpp"
#include "isbn/stages.hpp"

namespace bistro::isbn {

// `whole`: all probabilities are normalised. Otherwise, each one is multiplied by its common factor when it is read.
template <class Real, bool whole = true>
class Questions {
public:
    void clear() {
        asked_.clear();
        size_ = 0;
    }

    // Requests the probabilities of the outcomes of a group. Returns the number of the question.
    std::size_t ask(const Stages<Real>& stages, std::int32_t stage, std::int32_t group, std::uint8_t mask = kAll) {
        asked_.push_back({group, stage, mask, size_, asked_.size()});
        size_ += stages.network().columns(group);
        return asked_.size() - 1;
    }

    void answer(const Stages<Real>& stages) {
        if (answers_.size() < size_) answers_.resize(2 * size_);
        at_.resize(asked_.size());
        if constexpr (!whole) factors_.resize(asked_.size());
        for (const Question& q : asked_) at_[q.number] = q.at;
        auto by_group = [](const Question& a, const Question& b) { return a.group < b.group; };
        sort_stably(asked_.begin(), asked_.end(), by_group);
        for (std::size_t first = 0, end = 0; first < asked_.size(); first = end) {
            means_.clear();
            results_.clear();
            for (; end < asked_.size() && asked_[end].group == asked_[first].group; ++end) {
                means_.push_back(stages.mu(asked_[end].stage));
                results_.push_back(answers_.data() + asked_[end].at);
            }
            stages.network().weigh(asked_[first].group, means_.data(), results_.data(), means_.size());
            const std::size_t columns = stages.network().columns(asked_[first].group);
            for (std::size_t i = first; i < end; ++i) {
                rule_out(asked_[i].mask, answers_.data() + asked_[i].at, columns);
                if constexpr (whole)
                    normalise_panels(answers_.data() + asked_[i].at, columns);
                else
                    factors_[asked_[i].number] = exponentials_in_panels(answers_.data() + asked_[i].at, columns);
            }
        }
    }

    const Real* operator[](std::size_t number) const
        requires(whole)
    {
        return answers_.data() + at_[number];
    }
    const Real* unscaled(std::size_t number) const { return answers_.data() + at_[number]; }
    Real factor(std::size_t number) const { return factors_[number]; }
    Real of(std::size_t number, std::int32_t outcome) const {
        const Real answer = answers_[at_[number] + static_cast<std::size_t>(outcome)];
        if constexpr (whole)
            return answer;
        else
            return answer * factors_[number];
    }

private:
    struct Question {
        std::int32_t group, stage;
        std::uint8_t mask;
        std::size_t at, number;
    };

    std::vector<Question> asked_;
    std::vector<std::size_t> at_;  // by number
    std::vector<Real> factors_;    // by number; not used if whole
    std::size_t size_ = 0;
    Aligned<Real> answers_;
    std::vector<const Real*> means_;
    std::vector<Real*> results_;
};

}  // namespace bistro::isbn
