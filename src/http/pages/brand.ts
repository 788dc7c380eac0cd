// How a team looks on the pages that those who get its mail see: its name on its color, and its logo. Pages without either look as the house does.
import { html, type SafeHtml } from '@remix-run/html-template'
import { COLOR, textColorOn } from '../../lib/colors.ts'
import { readSourceFile } from '../../lib/source-files.ts'
import { digestSource } from './document.ts'

/** `logoPath`: where its logo is, on this host. Null: what it has not. */
export type Brand = { name: string; color: string | null; logoPath: string | null }

/** A part of the style of each page that shows a brand. */
export const BRAND_STYLE = readSourceFile('brand.css', import.meta)

export type BrandParts = {
  /** Goes into the head; empty without a brand. */
  head: SafeHtml | ''
  /** What the policy of the page allows besides its own style and images, each with a space before it. */
  styleSource: string
  imageSource: string
  /** Whether the page looks otherwise than that of a team without a brand. */
  isShown: boolean
}

export function brandParts(brand: Brand | null): BrandParts {
  const style = brand?.color == null ? null : colorsOf(brand.color)
  return {
    head: style === null ? '' : html`<style>${html.raw`${style}`}</style>`,
    styleSource: style === null ? '' : ` ${digestSource(style)}`,
    imageSource: brand?.logoPath == null ? '' : " 'self'",
    isShown: style !== null || brand?.logoPath != null,
  }
}

/** Nothing but such a color gets into a style. */
function colorsOf(color: string): string {
  if (!COLOR.test(color)) throw new Error('A color must have the form #rrggbb')
  return `:root{--brand:${color};--on-brand:${textColorOn(color)}}`
}

/** The band with the name of the team. `before`: what its name follows, in the language of the page. */
export const brandBand = (brand: Brand, before: SafeHtml | string = ''): SafeHtml =>
  html`<div class="brand">${logoOf(brand)}<p>${before}<strong><bdi>${brand.name}</bdi></strong></p></div>`

/** The name of the team follows it, so it says nothing more. */
const logoOf = ({ logoPath }: Brand): SafeHtml | string =>
  logoPath === null ? '' : html`<img class="brand-logo" src="${logoPath}" alt="">`

/** The name of the team within a page about something else. */
export const brandMark = ({ name, color, ...brand }: Brand): SafeHtml =>
  html`${logoOf({ name, color, ...brand })}<strong${color === null ? '' : html` class="brand-mark"`}><bdi>${name}</bdi></strong>`
