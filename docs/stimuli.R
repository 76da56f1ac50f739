# From stimuli and reading times to a mixed model:
#
#   Rscript stimuli.R MODEL items.csv times.csv
#
# MODEL is a model file or the name of an installed model; items.csv has the columns item and text,
# with one sentence per row; times.csv has subject, item, word_id and rt, with one row per time. If
# items have several conditions, both files also have the column condition.
arguments <- commandArgs(trailingOnly = TRUE)
stopifnot("three arguments: MODEL items.csv times.csv" = length(arguments) == 3)

# 1. The surprisal of every word, by the command line.
output <- tempfile(fileext = ".tsv")
status <- system2("bistro", c(
  "surprisal", shQuote(arguments[1]), shQuote(arguments[2]),
  "--text text --split-punct --no-eos -o", shQuote(output)
))
stopifnot("bistro surprisal failed" = status == 0)

# 2. The table as it is: one row per word. sent_id is the number of the sentence in items.csv.
words <- read.delim(output)
words$length <- nchar(words$token)
before <- function(x) c(NA, head(x, -1))
words$surprisal_before <- ave(words$surprisal, words$sent_id, FUN = before)
words$oov_before <- ave(words$oov, words$sent_id, FUN = before)

# 3. One row per reading time. Unknown words and what follows them are left out after lagging.
times <- read.csv(arguments[3])
keys <- intersect(c("item", "condition", "word_id"), intersect(names(times), names(words)))
stopifnot("items with several sentences need the column condition in items.csv and times.csv" =
  !anyDuplicated(words[keys]))
rows <- merge(times, words, by = keys)
rows <- subset(rows, oov == 0 & oov_before == 0)
cat(nrow(rows), "of", nrow(times), "times,", length(unique(rows$subject)), "subjects\n")

# 4. Does surprisal help beyond length and the word before?
suppressPackageStartupMessages(library(lme4))
without <- lmer(rt ~ length + surprisal_before + (1 | subject) + (1 | item), rows, REML = FALSE)
with <- update(without, . ~ . + surprisal)
print(coef(summary(with)), digits = 3)
print(anova(without, with))
