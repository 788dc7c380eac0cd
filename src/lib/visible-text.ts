// Text that leaves a mark on a page. Spaces and control characters do not, and neither do characters that only join, direct or fill (U+200B,
// U+3164, U+2800).
const MARK = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

export const isVisible = (text: string): boolean => MARK.test(text)
