/** Words that a plain sentence does without. */
export const STILTED = new RegExp(
  [
    /\b(?:no|any|every|some)body\b/,
    /\b(?:whoever|whomever|whom it|goes to many|who is no\b|who has (?:unsubscribed|opted out),)/,
    /\b(?:be had|any more|once more|for ever|forevermore|stays so|all the same|none the less)\b/,
    /\b(?:shall|bears?|dear|sees to it|goes (?:on|away|behind)|how it (?:goes|went)|a day goes|when (?:its|the) time is over)\b/,
    /\bso (?:much|many|long) (?:of it|and)\b/,
    // A sentence is about a person: "People who may only read see it", not "Who may only read sees it".
    /(?:^|[.!?] )who \S+ [^.,:;?]*\b(?:does not|gets|gives|goes|hears|learns|must|need not|reads|sees|should|takes)\b/,
    // A sender is behind a pace, and a service behind a proxy. In time and place the word is "after".
    /(?<!\b(?:falls?|far|is|seconds) )\bbehind(?! a proxy\b)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)

/** British spellings. Documents, comments and answers are written in American English. */
export const BRITISH = new RegExp(
  [
    /(?<!_)\b(?:un)?(?:recogni|seriali|normali|authori|organi|summari|minimi|initiali|optimi|capitali|synchroni|prioriti|saniti|memori)s(?:e|es|ed|er|ing|ation)\b/,
    /\b(?:neighbour|colour|behaviour|favour|honour|labelled\b|cancelling|catalogue|centre)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)

/** Beginnings of a comment that lean on the name below it. A comment is a sentence, or names its subject. */
export const LEANING = new RegExp(
  [
    /^(?:Of|Those|Likewise|The same|Such as|(?:At|By|For|From|In|On|To|With) (?:which|whose))\b/,
    // A sentence may begin so if a comma tells where its subject begins.
    /^(?:As|Below|By|For|From|In|So|To|With)\b[^,:;.]*(?:\.(?=\s|$)|$)/,
  ]
    .map(({ source }) => source)
    .join('|'),
)
