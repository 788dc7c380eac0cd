// Colors that people choose, and the text that can be read on them.

/** As they are stored: `#rrggbb`, in lower case. */
export const COLOR = /^#[0-9a-f]{6}$/

const [BLACK, WHITE] = ['#000000', '#ffffff'] as const

/** Black or white, whichever has the higher contrast with this ground. That is 4.58 at least, and WCAG 2.2 (1.4.3) asks for 4.5. */
export const textColorOn = (ground: string): typeof BLACK | typeof WHITE =>
  contrast(luminance(ground), 0) >= contrast(1, luminance(ground)) ? BLACK : WHITE

const contrast = (lighter: number, darker: number): number => (lighter + 0.05) / (darker + 0.05)

/** Relative luminance, as WCAG 2.2 defines it. */
function luminance(color: string): number {
  if (!COLOR.test(color)) throw new Error('A color must have the form #rrggbb')
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((from) => linear(Number.parseInt(color.slice(from, from + 2), 16) / 255))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
