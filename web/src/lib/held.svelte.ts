// Nothing moves under the pointer: a list that sorts itself again and again waits while one is in it.

/**
 * held is a list that stays as it is while the pointer or the keyboard is inside of the element that is given
 * what inside holds, unless it is about something else by then.
 */
export function held<T>(list: () => T, about: () => unknown) {
  let pointed = $state(false);
  let focused = $state(false);
  let kept: { list: T; about: unknown } | undefined;
  const value = $derived.by(() => {
    const asked = about();
    if ((pointed || focused) && kept && kept.about === asked) return kept.list;
    kept = { list: list(), about: asked };
    return kept.list;
  });
  return {
    get value() {
      return value;
    },
    inside: {
      onpointerenter: () => {
        pointed = true;
      },
      onpointerleave: () => {
        pointed = false;
      },
      // A click leaves the focus behind, where no one looks at it any more.
      onfocusin: (event: FocusEvent) => {
        focused = (event.target as Element).matches(':focus-visible');
      },
      onfocusout: (event: FocusEvent) => {
        if (!(event.currentTarget as Element).contains(event.relatedTarget as Node | null)) focused = false;
      },
    },
  };
}
