"""`bistro surprisal`: compute the surprisal of every word, in bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import typer

import bistro
from bistro.cli import common, documents, mixtures, odd_words, outputs, table_notes, unknown_words
from bistro.cli.common import argument, flag, option
from bistro.cli.plain_help import under
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.encoding.vocabulary import Vocabulary
    from bistro.tasks.cutting import Cutting
    from bistro.tasks.mixture import Mixture
    from bistro.tasks.stimuli import Stimulus
    from bistro.tasks.surprisal import ReadSentence

STIMULI, MIXTURES, SUMS = "Tables of stimuli", "Mixtures of models", "Sums over analyses"


def surprisal(
    model: str = common.MODEL,
    input: str = argument(
        "INPUT",
        "CoNLL-U, CoNLL-X, text with one sentence per line, or, with --text, a table (CSV, TSV); - "
        "means stdin.",
        default="-",
    ),
    output: str = outputs.results(outputs.TABLE),
    text: str | None = option(
        "COLUMN",
        "Read INPUT as CSV or TSV, with the sentences in this column.",
        rich_help_panel=STIMULI,
    ),
    id: str | None = option(
        "COLUMN", "The column with the names of the sentences.", rich_help_panel=STIMULI
    ),
    sentence: list[str] | None = option(
        "COLUMN",
        "Column that identifies the sentence, in tables with one word per row (may be repeated).",
        rich_help_panel=STIMULI,
    ),
    split_punct: bool | None = typer.Option(
        None,
        "--split-punct/--no-split-punct",
        help="Split punctuation from words, or split at spaces only. By default, a pipeline "
        "splits text into words as in its treebank.",
    ),
    brackets: bool = flag(
        "--brackets", "Write one row per bracketed region, as in The [old dog] barks."
    ),
    critical: str | None = option(
        "COLUMN",
        "Column that gives the words or the positions (7 or 7-8) of the critical region, in tables "
        "with one sentence per row. The region gets one row.",
        rich_help_panel=STIMULI,
    ),
    region: str | None = option(
        "COLUMN",
        "With --sentence, merge adjacent rows with the same value in this column into one region.",
        rich_help_panel=STIMULI,
    ),
    memory: bool = documents.MEMORY,
    document: list[str] | None = option(
        "COLUMN",
        "With --memory, sentences with the same value in this column form a document (may be "
        "repeated).",
        rich_help_panel=STIMULI,
    ),
    words: bool = flag("--words", "Write a separate row for each word of a multiword token."),
    eos: bool = flag(
        "--eos/--no-eos", "Whether to write a row for the end of each sentence.", default=True
    ),
    others: list[str] | None = under(MIXTURES, mixtures.WITH),
    dev: str | None = under(MIXTURES, mixtures.DEV),
    weights: str | None = under(MIXTURES, mixtures.WEIGHTS),
    format: str | None = common.FORMAT,
    method: str | None = under(SUMS, common.METHOD),
    particles: int | None = under(SUMS, common.PARTICLES),
    repeats: int | None = under(SUMS, common.REPEATS),
    selection: Literal["weight", "paper"] | None = under(SUMS, common.SELECTION),
    tags_per_word: int | None = under(SUMS, common.TAGS_PER_WORD),
    tags_seen: bool = under(SUMS, common.TAGS_SEEN),
    cluster: str | None = common.CLUSTER,
    seed: int = common.SEED,
) -> None:
    """Write a table with the surprisal of every word, -log2 p(word | words before it), in bits.

    Columns, separated by tabs (R: read.delim); the columns of a stimulus file come first:

    - sent_id: the name of the sentence in its file, or its number from 1
    - word_id: the position of the word, from 1; 3-4 for a token of two words, which gets their sum
    - token: the word as it is written in INPUT
    - oov: 1 if the word is unknown (its class or its spelling was scored), otherwise 0
    - surprisal: in bits
    - surprisal_syn, surprisal_lex: its two parts: the change in the distribution over analyses
      (a Kullback-Leibler divergence), and the cost of the word given its analyses
    - entropy, entropy_reduction: over the analyses after the word, in bits
    - prefix_log2_prob: log2 of the probability of the sentence up to this word
    - mc_se: standard error of the surprisal where it is a Monte Carlo estimate

    NA means that a model has no such value (an n-gram model has no analyses).

    The surprisals of a sentence, including its end `</s>`, sum to -log2 p(sentence).

    A pipeline splits a line or a cell into words as in its treebank: the cell *don't.* gets the sum
    of *do*, *n't* and the full stop. Text has one sentence per line. With --input raw, the pipeline
    also finds the sentences; with --input lines, words are split at spaces only.

    Regions are marked by brackets (--brackets) or in the column named by --critical or --region.
    Each region has one row, with the sum of the surprisals of its words and the standard error of
    this sum. The column `region` contains the number of the region, counted from 1. Each stretch of
    words outside the regions also has one row, with NA in the column `region`.

    --with mixes models with the same vocabulary word by word, with the weights that are
    best on DEV or the --weights given; parts of surprisal and entropies are NA.

    With --memory, the surprisal of a word also depends on the earlier sentences in its document.
    Only models of the kind reader have a memory. By default, every sentence is scored on its own.

        echo "The dog sleeps ." | bistro surprisal english.bistro
        echo "The horse [raced past the barn] fell ." | bistro surprisal english.bistro --brackets
        bistro surprisal parser.bistro --with ngram.bistro --dev dev.conllu items.conllu
        bistro surprisal english.bistro items.conllu -o items.tsv.gz
        bistro surprisal english.bistro items.csv --text sentence --id item --split-punct
        bistro surprisal english.bistro items.csv --text sentence --critical verb --split-punct
        bistro surprisal english.bistro reading.csv --text word --sentence item -o reading.tsv
        bistro surprisal reader.bistro story.conllu --memory
    """
    from bistro.models.abilities import SCORE
    from bistro.tasks.cutting import at_spaces, cutting

    _check_options(text, id, sentence, brackets, critical, region)
    mixtures.require_mixture(others, dev, weights)
    documents.check_columns(memory, text, document)
    trained = bistro.load(model)
    documents.require_memory(memory, trained, others)
    choices: dict[str, Any] = {"method": method, "particles": particles, "repeats": repeats}
    choices |= {"selection": selection, "tags_per_word": tags_per_word}
    choices |= {"tags_seen": tags_seen, "seed": seed}
    reader: bistro.Model | Mixture = trained
    settings: dict[str, Any] = {}
    models = [trained, *map(bistro.load, others or [])]
    if others:
        reader = mixtures.mixture_of(models, choices, dev, weights)
        common.say(f"words are scored by a {reader.score_protocol()}")
    else:
        settings = common.score_settings(trained, **choices)
    vocabularies = [SCORE.of(one).vocabulary for one in models]
    with common.cluster_workers(cluster) as workers:
        score_options = {**settings, "eos": eos, "memory": memory, "workers": workers}
        if text is not None:
            cut = cutting(trained, split_punct)
            marks = (brackets, critical, region)
            stimuli = _stimuli(vocabularies[0], cut, input, text, id, sentence, document, *marks)
            all_words = [stimulus.words for stimulus in stimuli[1]]
            names = [stimulus.document for stimulus in stimuli[1]]
            if cut is at_spaces and split_punct is None:
                odd_words.warn_of_uncut_words(all_words, input, trained, can_split=True)
            columns, rows = _of_stimuli(reader, stimuli, score_options)
        else:
            sentences = _sentences(trained, input, format, split_punct, not words, brackets)
            names = [str(one.document) for one in sentences]
            all_words = [one.words for one in sentences]
            columns, rows = _of_sentences(reader, sentences, score_options)
        if not others:
            common.tell_reader(trained, settings)
        if memory:
            documents.tell_memory(trained, len(set(names)))
        is_joined = brackets or critical is not None or region is not None
        rows = _counting_unknown(columns, rows, is_joined, all_words, vocabularies)
        common.write_table(output, columns, rows)


def _check_options(
    text: str | None,
    id: str | None,
    sentence: list[str] | None,
    brackets: bool,
    critical: str | None,
    region: str | None,
) -> None:
    """Raise an error if options for tables contradict each other."""
    if text is None and (id is not None or sentence or critical is not None):
        raise BistroError("--id, --sentence and --critical need --text COLUMN")
    if id is not None and sentence:
        raise BistroError(
            "--id is for tables with one sentence per row: leave it out if --sentence is given"
        )
    if region is not None and not sentence:
        raise BistroError(
            "--region is for tables with one word per row: add --sentence COLUMN, or, for one "
            "sentence per row, use --critical COLUMN or --brackets"
        )
    if (brackets or critical is not None) and sentence:
        raise BistroError(
            "--brackets and --critical are for tables with one sentence per row: use --region "
            "COLUMN"
        )
    if brackets and critical is not None:
        raise BistroError("--brackets and --critical both mark regions: give only one of them")


def _sentences(
    model: bistro.Model,
    path: str,
    format: str | None,
    split_punct: bool | None,
    multiword: bool,
    brackets: bool,
) -> list[ReadSentence]:
    """Return the sentences in a file.

    Text is split into words in the same way as the cells of a table.
    """
    from bistro.models.abilities import TOKENISE
    from bistro.tasks.cutting import cutting, file_sentences
    from bistro.tasks.surprisal import bracketed_sentence, cut_sentence, read_sentence
    from bistro.treebank.documents import document_numbers

    if format is None and path.lower().endswith(common.TABLE_SUFFIXES):
        raise BistroError(
            f"{path}: the file is a table: use --text COLUMN to name the column that contains the "
            "sentences"
        )
    finds_words = TOKENISE.is_of(model) and split_punct is not False
    if finds_words and format == "raw" and not brackets:
        token_lists = file_sentences(model, path)
        return [
            cut_sentence(t, str(i), multiword=multiword) for i, t in enumerate(token_lists, start=1)
        ]
    treebank = bistro.read(path, format=format, roots="any")
    is_cut = treebank.format == "text" and (split_punct or (finds_words and format is None))
    if split_punct and not is_cut:
        raise BistroError(f"{path}: the file is already split into words: leave out --split-punct")
    odd_words.tell_odd_words(treebank)
    if not brackets and treebank.format == "text":
        table_notes.tell_brackets_in_lines((" ".join(s.forms) for s in treebank), path)
    if brackets:
        if treebank.format != "text":
            raise BistroError(f"{path}: --brackets is for text: leave it out")
        cut = cutting(model, split_punct)
        return [bracketed_sentence(s, str(i), path, cut) for i, s in enumerate(treebank, start=1)]
    sentences = treebank if is_cut else odd_words.watch_words(treebank, path, model, can_split=True)
    cutter = cutting(model, split_punct) if is_cut else None
    lines = (
        read_sentence(sentence, str(i), path, multiword=multiword, cut=cutter)
        for i, sentence in enumerate(sentences, start=1)
    )
    named = zip(lines, document_numbers(treebank), strict=True)
    return [sentence._replace(document=number) for sentence, number in named]


def _counting_unknown(
    columns: Sequence[str],
    rows: common.Cells,
    is_joined: bool,
    sentences: Sequence[Sequence[str]],
    vocabularies: Sequence[Vocabulary],
) -> common.Cells:
    """Yield the rows, and report at the end how many of them contain unknown words.

    In a mixture of models, a word is unknown if one of the models does not know it.
    """
    from bistro.encoding.vocabulary import END_SYMBOL

    def is_unknown(word: str) -> bool:
        return any(vocabulary.is_unknown(word) for vocabulary in vocabularies)

    places = {name.removeprefix("bistro_"): i for i, name in enumerate(columns)}
    words = unknown = 0
    for row in rows:
        words += row[places["token"]] != END_SYMBOL
        unknown += row[places["oov"]] == 1
        yield row
    if unknown:
        are = "rows have words that are" if is_joined else "words are"
        forms = list(dict.fromkeys(w for own in sentences for w in own if is_unknown(w)))
        common.say(
            f"{unknown:,} of {words:,} {are} unknown to the model (column oov): the model scores "
            f"{vocabularies[0].scored_if_unknown}; unknown: {unknown_words.quoted_words(forms)}"
        )
        if note := unknown_words.case_note(forms, is_unknown):
            common.say(note)


def _of_sentences(
    model: bistro.Model | Mixture, sentences: Sequence[ReadSentence], score_options: dict[str, Any]
) -> tuple[Sequence[str], common.Cells]:
    from bistro.tasks.regions import COLUMN, region_names
    from bistro.tasks.surprisal import COLUMNS, scored_rows

    rows = (list(vars(row).values()) for row in scored_rows(model, sentences, **score_options))
    parts = [sentence.parts for sentence in sentences if sentence.parts is not None]
    if not parts:
        return COLUMNS, rows
    names = region_names(parts, eos=score_options["eos"])
    named = ([name, *row] for name, row in zip(names, rows, strict=True))
    return [COLUMN, *COLUMNS], named


def _stimuli(
    vocabulary: Vocabulary,
    cut: Cutting,
    path: str,
    text: str,
    id: str | None,
    sentence: list[str] | None,
    document: list[str] | None,
    brackets: bool,
    critical: str | None,
    region: str | None,
) -> tuple[list[str], list[Stimulus]]:
    """Return the columns of a table of stimuli, and the stimuli."""
    from bistro.tasks.memory import in_documents
    from bistro.tasks.regions import COLUMN, joined_regions, region_stimuli
    from bistro.tasks.stimuli import one_row_each, one_word_a_row, read_table

    table = read_table(path)
    columns = table.columns
    if sentence:
        stimuli = list(one_word_a_row(table, text, sentence, cut=cut))
    elif brackets or critical is not None:
        stimuli = list(region_stimuli(table, text, name=id, cut=cut, critical=critical))
        columns = [*columns, f"bistro_{COLUMN}" if COLUMN in columns else COLUMN]
    else:
        stimuli = list(one_row_each(table, text, name=id, cut=cut))
    if document:
        stimuli = list(in_documents(table, stimuli, document))
    if region is not None:
        place = table.column(region)
        stimuli = [joined_regions(stimulus, place) for stimulus in stimuli]
    if sentence:
        table_notes.tell_joined_sentences(table, text, sentence, region)
    else:
        table_notes.tell_odd_cells(table, text, vocabulary, brackets=brackets)
    place = table.column(text)
    odd_words.tell_invisible(cells[place] for _, cells in table.rows)
    return columns, stimuli


def _of_stimuli(
    model: bistro.Model | Mixture,
    stimuli: tuple[list[str], list[Stimulus]],
    score_options: dict[str, Any],
) -> tuple[Sequence[str], common.Cells]:
    from bistro.tasks.surprisal import stimulus_rows

    return stimulus_rows(model, *stimuli, **score_options)
