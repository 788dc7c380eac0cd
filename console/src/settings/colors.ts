/** Black or white, whichever is easier to read on this ground, as the pages of the team have it. */
export function textColorOn(ground: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((from) => linear(Number.parseInt(ground.slice(from, from + 2), 16) / 255))
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? '#000000' : '#ffffff'
}

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)
