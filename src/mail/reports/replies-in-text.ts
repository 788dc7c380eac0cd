// Finds the SMTP reply that a report quotes, among words of any kind.

export type QuotedReply = { code: number | null; enhancedCode: string | null }

/** The first code, and the first enhanced code that says more than its class. */
export function replyIn(text: string): QuotedReply {
  const cut = text.slice(0, TEXT_LENGTH_MAX)
  const codes = [...cut.matchAll(CODE)].map(([, code]) => Number(code))
  const enhancedCodes = [...cut.matchAll(ENHANCED_CODE)].map(([, code]) => code ?? '')
  return {
    code: codes.find((code) => CODES.has(code)) ?? null,
    enhancedCode: enhancedCodes.find((code) => !isGeneral(code)) ?? enhancedCodes[0] ?? null,
  }
}

/** Whether the code says only that there is an error, as `5.0.0` and `5.1.0` do. */
export const isGeneral = (enhancedCode: string): boolean => enhancedCode.endsWith('.0')

const TEXT_LENGTH_MAX = 4096

const CODE = /(?<=^|[\s;:,("'#\]-])([45]\d\d)(?=[\s)"',;:.-]|$)/g

/** Not an IP address, nor a part of one. */
const ENHANCED_CODE = /(?<=^|[\s;:,("'#[-])([45]\.\d{1,3}\.\d{1,3})(?![.\d])/g

/** The codes of RFC 5321, of its extensions, and ones that servers made up. Other numbers of three digits are amounts and ports. */
const CODES = new Set([
  421, 431, 432, 441, 442, 446, 447, 449, 450, 451, 452, 453, 454, 455, 458, 459, 471, 500, 501, 502, 503, 504, 510, 511, 512, 513, 515,
  517, 521, 523, 530, 531, 533, 534, 535, 538, 540, 541, 542, 543, 544, 545, 550, 551, 552, 553, 554, 555, 556, 557, 558, 559, 570, 571,
  572, 573, 574, 577,
])
