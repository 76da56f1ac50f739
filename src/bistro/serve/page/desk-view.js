// What is known of the sentence on the desk: values, suggestions, findings, and how they are put into words.

import { headName } from "./desk-panel.js";
import { percent } from "./text.js";

const NAMES = ["heads", "deprels", "upos", "xpos", "feats", "lemmas"];
const RELAXED =
  "the model has no tree with these heads (they cross, or there are several roots), " +
  "so they are kept, but not used as evidence";

export class SentenceView {
  tellState({ state, multiword, empty_nodes: empty }, { relaxed }) {
    const open = this.openWords().length;
    const parts = [open ? `${open} of ${this.size} words have open values` : "No word has open values"];
    if (state === "done") parts.push("confirmed");
    if (relaxed) parts.push(RELAXED);
    const tokens = multiword.map(([first, last, form]) => `${form} (${first}–${last})`);
    if (tokens.length) parts.push(`multiword: ${tokens.join(", ")}`);
    if (empty.length) parts.push(`empty nodes: ${empty.map(([id, form]) => `${form} (${id})`).join(", ")}`);
    return `${parts.join(" · ")}.`;
  }

  fieldsOf(word) {
    const { columns, suggestion } = this.shown;
    const shares = this.asked?.word === word + 1 ? this.asked : null;
    return Object.fromEntries(NAMES.map((name) => {
      const share = suggestion.sure[name]?.[word] ?? null;
      const value = share === null ? columns[name][word] : suggestion[name][word];
      const seen = (shares?.seen?.[name] ?? []).map((one) => [one, null]);
      const own = share === null ? shares?.shares?.[name] : suggestion.alternatives[name]?.[word];
      return [name, { value, share, options: own ?? seen }];
    }));
  }

  openFields(word) {
    const { sure } = this.shown.suggestion;
    return Object.keys(sure).filter((name) => sure[name][word] !== null && sure[name][word] !== undefined);
  }

  openWords() {
    return Array.from({ length: this.size }, (_, word) => word).filter((word) => this.openFields(word).length);
  }

  firstOpen(after = -1) {
    const open = this.openWords();
    return open.find((word) => word > after) ?? open[0] ?? null;
  }

  tree() {
    const { columns, suggestion } = this.shown;
    const sure = (name) => suggestion.sure[name]?.map((share) => share ?? 1) ?? null;
    return {
      words: columns.forms, heads: suggestion.heads,
      labels: this.names.labelled ? suggestion.deprels : columns.deprels, tags: suggestion[this.column],
      probabilities: { heads: sure("heads"), labels: sure("deprels"), tags: sure(this.column) },
    };
  }

  tellOwn({ what, word, annotated }) {
    if (what === "tag") return annotated;
    const { columns } = this.shown;
    return `${headName(columns.forms, columns.heads[word - 1])} ${columns.deprels[word - 1]}`;
  }

  findingAt(word) {
    return this.findings.find((one) => one.word === word + 1);
  }

  tellFinding(word, one = this.findingAt(word)) {
    if (!one) return "";
    const { values } = one;
    const arc = "heads" in values && `${headName(this.shown.columns.forms, values.heads)} ${values.deprels ?? ""}`;
    return `${arc || one.alternative} ${percent(one.alternative_probability)}`;
  }
}
