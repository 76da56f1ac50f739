// Who descends from whom. Each analysis of a step grew from one of the step before; its likeliest child keeps its
// lineage (and with it its colour and its row), others found new ones. Children stand in the order of their
// parents, so that the bands between two words never cross.
//
// A step becomes {nodes, ranked, lost, rest}: nodes from top to bottom with `top`, `height` (shares of 1) and
// `from` (the slice of the parent that it came from); `lost` are nodes of the step before that no one continues,
// the likeliest first; `rest` is the mass of the analyses that the server did not tell.

const COLOURS = 8;
const WORTH_A_COLOUR = 0.03;

export function lineages(steps) {
  const layers = [];
  let newest = 0;
  for (const step of steps) {
    const before = layers.at(-1) ?? { nodes: [], rest: { top: 0, height: 1 } };
    const nodes = step.analyses.map((live) => ({ live, parent: null, children: [], lineage: null }));
    for (const node of nodes) {
      node.parent = before.nodes.find((other) => other.live.id === node.live.parent) ?? null;
      node.parent?.children.push(node);
    }
    for (const parent of before.nodes) {
      const [heir] = ranked(parent.children);
      if (heir) heir.lineage = parent.lineage;
    }
    for (const node of nodes) node.lineage ??= newest++;
    const rest = stack(nodes, before);
    slice(nodes, rest, before);
    const lost = ranked(before.nodes.filter((node) => !node.children.length));
    layers.push({ nodes: sortedByTop(nodes), ranked: ranked(nodes), lost, rest, step });
  }
  paint(layers);
  return layers;
}

// Colours go to lineages that ever had some mass, in the order in which they got it.
function paint(steps) {
  const colours = new Map();
  const nodes = steps.flatMap((step) => step.nodes);
  for (const { lineage, live } of nodes) {
    if (live.probability >= WORTH_A_COLOUR && !colours.has(lineage)) colours.set(lineage, `c${colours.size % COLOURS}`);
  }
  for (const node of nodes) node.colour = colours.get(node.lineage) ?? "minor";
}

function ranked(nodes) {
  return [...nodes].sort((a, b) => b.live.probability - a.live.probability);
}

function sortedByTop(nodes) {
  return [...nodes].sort((a, b) => a.top - b.top);
}

function stack(nodes, before) {
  const place = (node) => (node.parent ? before.nodes.indexOf(node.parent) : before.nodes.length);
  const ordered = [...nodes].sort((a, b) => place(a) - place(b) || b.live.probability - a.live.probability);
  let top = 0;
  for (const node of ordered) {
    node.top = top;
    node.height = node.live.probability;
    top += node.height;
  }
  return { top, height: Math.max(0, 1 - top), from: null };
}

function slice(nodes, rest, before) {
  for (const parent of before.nodes) divide(parent, sortedByTop(parent.children));
  const strangers = sortedByTop(nodes.filter((node) => !node.parent));
  divide(before.rest, [...strangers, rest]);
}

function divide(source, children) {
  const total = children.reduce((sum, child) => sum + child.height, 0) || 1;
  let top = source.top;
  for (const child of children) {
    child.from = { top, height: (source.height * child.height) / total };
    top += child.from.height;
  }
}
