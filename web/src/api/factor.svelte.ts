// The second factor, where the service asks for it again. The request that was refused waits
// for the person, and is sent again.
const state = $state<{ asked: boolean }>({ asked: false });
let waiting: { answer: Promise<boolean>; done: (confirmed: boolean) => void } | undefined;

export const factor = {
  get asked() {
    return state.asked;
  },
};

/** Asks the person; whether the second factor was shown. Several who ask are answered together. */
export function askFactor(): Promise<boolean> {
  if (!waiting) {
    let done: (confirmed: boolean) => void = () => undefined;
    const answer = new Promise<boolean>((resolve) => {
      done = resolve;
    });
    waiting = { answer, done };
    state.asked = true;
  }
  return waiting.answer;
}

/** Says whether the person has shown it. */
export function answerFactor(confirmed: boolean): void {
  state.asked = false;
  waiting?.done(confirmed);
  waiting = undefined;
}
