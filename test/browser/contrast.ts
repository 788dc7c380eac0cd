// Evaluated in a page.

/** The texts that have a contrast of less than 4.5 with the ground on which they stand (WCAG 2.2, 1.4.3). */
export const faintTexts = `(() => {
  const colorOf = (text) => {
    const [red, green, blue, alpha = 1] = text.match(/[\\d.]+/g).map(Number)
    return { red, green, blue, alpha }
  }
  const luminance = ({ red, green, blue }) => {
    const [r, g, b] = [red, green, blue].map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const groundOf = (element) => {
    const ground = colorOf(getComputedStyle(element).backgroundColor)
    return ground.alpha > 0 || !element.parentElement ? ground : groundOf(element.parentElement)
  }
  return [...document.querySelectorAll('body *')]
    .filter((element) => element.checkVisibility() && [...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== ''))
    .filter((element) => {
      const [high, low] = [colorOf(getComputedStyle(element).color), groundOf(element)].map(luminance).sort((a, b) => b - a)
      return (high + 0.05) / (low + 0.05) < 4.5
    })
    .map((element) => element.outerHTML.slice(0, 200))
})()`
