// Questions to the server. Answers are kept, so that going back in the history is instant.

const answers = new Map();
const KEPT = 60;

// `status` is 0 if the server did not answer at all.
export class ApiError extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

// A server may want a key: it is asked for once, and kept until the tab is closed.
const KEY = "bistro-key";

export function withKey(options) {
  const key = sessionStorage.getItem(KEY);
  if (!key) return options;
  return { ...options, headers: { ...options.headers, Authorization: `Bearer ${key}` } };
}

function askForKey() {
  const key = window.prompt("This server requires a key.");
  if (key === null) return false;
  sessionStorage.setItem(KEY, key.trim());
  return true;
}

export async function request(path, options) {
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
  throw new ApiError(answer?.error ?? `The server answered with status ${response.status}.`, response.status);
}

export function getModels() {
  return request("api/models", {});
}

// An answer that is not kept: of what changes.
export function post(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return request(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

export async function ask(name, body, signal) {
  const key = `${name} ${JSON.stringify(body)}`;
  if (answers.has(key)) return answers.get(key);
  const answer = await post(`api/${name}`, body, signal);
  answers.set(key, answer);
  if (answers.size > KEPT) answers.delete(answers.keys().next().value);
  return answer;
}
