/** Words that a plain sentence does without. */
export const STILTED =
  /\b(?:nobody|whoever|everybody|somebody|whom it|goes to many|is to be had|any more|once more|behind|who is no|bears?)\b/i
