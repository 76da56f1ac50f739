# From stimuli and reading times to a mixed model:
#
#   Rscript stimuli.R MODEL items.csv times.csv
#
# MODEL is a model file or the name of an installed model; items.csv has the columns item and text,
# with one sentence per row; times.csv has subject, item, word_id and rt, with one row per time.
arguments <- commandArgs(trailingOnly = TRUE)
stopifnot("three arguments: MODEL items.csv times.csv" = length(arguments) == 3)

# 1. The surprisal of every word, by the command line.
output <- tempfile(fileext = ".tsv")
status <- system2("bistro", c(
  "surprisal", shQuote(arguments[1]), shQuote(arguments[2]),
  "--text text --id item --split-punct --no-eos -o", shQuote(output)
))
stopifnot("bistro surprisal failed" = status == 0)

# 2. The table as it is: one row per word.
words <- read.delim(output)
words$length <- nchar(words$token)
before <- function(x) c(NA, head(x, -1))
words$surprisal_before <- ave(words$surprisal, words$item, FUN = before)
words$oov_before <- ave(words$oov, words$item, FUN = before)

# 3. One row per reading time. Unknown words and what follows them are left out after lagging.
times <- read.csv(arguments[3])
rows <- merge(times, words, by = c("item", "word_id"))
rows <- subset(rows, oov == 0 & oov_before == 0)
cat(nrow(rows), "of", nrow(times), "times,", length(unique(rows$subject)), "subjects\n")

# 4. Does surprisal help beyond length and the word before?
suppressPackageStartupMessages(library(lme4))
without <- lmer(rt ~ length + surprisal_before + (1 | subject) + (1 | item), rows, REML = FALSE)
with <- update(without, . ~ . + surprisal)
print(coef(summary(with)), digits = 3)
print(anova(without, with))
