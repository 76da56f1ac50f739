// Requests to a server that may go away in the middle: it is waited for, and asked again if that is right.

import { ApiError } from "./api.js";

const RETRY = 700;
const GONE = "The server does not answer: waiting for it. Every decision up to the last one is in the journal.";

export const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

// `again` says, when the server is back, whether to ask again; if not, `reload` shows what it has.
export async function persist(act, { again, say, refuse, reload }) {
  for (;;) {
    try {
      const answer = await act();
      say();
      return answer;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status) return refuse(error);
      say(GONE);
      if (!(await untilBack(again))) return reload();
    }
  }
}

async function untilBack(again) {
  for (;;) {
    await pause(RETRY);
    try {
      return await again();
    } catch (error) {
      if (error.status) return false;
    }
  }
}
