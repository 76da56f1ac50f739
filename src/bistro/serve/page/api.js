// Questions to the server. Answers are kept, so that going back in the history is instant.

const answers = new Map();
const KEPT = 60;

export class ApiError extends Error {}

// A server may want a key: it is asked for once, and kept until the tab is closed.
const KEY = "bistro-key";

function withKey(options) {
  const key = sessionStorage.getItem(KEY);
  if (!key) return options;
  return { ...options, headers: { ...options.headers, Authorization: `Bearer ${key}` } };
}

function askForKey() {
  const key = window.prompt("This server wants a key.");
  if (key === null) return false;
  sessionStorage.setItem(KEY, key.trim());
  return true;
}

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, withKey(options));
    while (response.status === 401 && askForKey()) response = await fetch(path, withKey(options));
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new ApiError("The server does not answer. Is `bistro serve` still running?");
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  throw new ApiError(answer?.error ?? `The server answered with status ${response.status}.`);
}

export function getModels() {
  return request("api/models", {});
}

export async function ask(name, body, signal) {
  const text = JSON.stringify(body);
  const key = `${name} ${text}`;
  if (answers.has(key)) return answers.get(key);
  const headers = { "Content-Type": "application/json" };
  const answer = await request(`api/${name}`, { method: "POST", headers, body: text, signal });
  answers.set(key, answer);
  if (answers.size > KEPT) answers.delete(answers.keys().next().value);
  return answer;
}
