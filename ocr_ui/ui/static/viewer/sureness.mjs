/** How sure a model has to be. */

/** A confidence below the limit, or a single token below half of it: one doubtful character in a long text. */
export const isLow = ({ confidence = null, lowest = null }, limit) =>
  (confidence !== null && confidence < limit) || (lowest !== null && lowest < limit / 2);
