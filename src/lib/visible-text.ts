// Text that leaves a mark on a page: spaces and control characters do not, nor does what only joins, directs or fills (U+200B, U+3164, U+2800).
const MARK = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

export const isVisible = (text: string): boolean => MARK.test(text)
