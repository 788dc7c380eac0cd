// What was done last, in a sentence on the page to which an act leads. The address names it: `?done=saved`.

/** Empty for a name without a sentence. */
export const noteOf = (notes: ReadonlyMap<string, string>, { done = '' }: { done?: string }): string => notes.get(done) ?? ''
