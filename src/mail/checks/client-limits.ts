// What Outlook for Windows, Gmail and Apple Mail do not show. Our own summary of the tests that https://www.caniemail.com publishes for each feature (in 2024), and
// for the size of styles of https://developers.google.com/workspace/gmail/design/css.

/** `feature`: as a sentence names it. `effect`: what happens to it, and what to do. */
export type ClientLimit = { feature: string; effect: string }

const BACKGROUND_IMAGE = {
  values: ['url('],
  feature: 'A background image',
  effect: 'is not shown by Outlook for Windows: set a background color too, so that the text above it can be read.',
}

/** Declarations by property. `values`: words of which the value has one; null if any value counts. */
export const CSS_LIMITS: Readonly<Record<string, readonly (ClientLimit & { values: readonly string[] | null })[]>> = {
  display: [
    {
      values: ['flex', 'inline-flex'],
      feature: '`display: flex`',
      effect: 'is ignored by Outlook for Windows: put columns into the cells of a table.',
    },
    {
      values: ['grid', 'inline-grid'],
      feature: '`display: grid`',
      effect: 'is ignored by Outlook for Windows and Gmail: put columns into the cells of a table.',
    },
  ],
  position: [
    {
      values: ['absolute', 'fixed', 'sticky'],
      feature: '`position`',
      effect: 'is ignored by Gmail and Outlook for Windows, so elements stand one below the other.',
    },
  ],
  float: [
    {
      values: ['left', 'right'],
      feature: '`float`',
      effect: 'is ignored by Outlook for Windows: give images and tables the attribute `align`.',
    },
  ],
  'background-image': [BACKGROUND_IMAGE],
  background: [BACKGROUND_IMAGE],
  animation: [
    {
      values: null,
      feature: '`animation`',
      effect: 'is ignored by Gmail and Outlook for Windows: only Apple Mail shows it, so nothing may depend on it.',
    },
  ],
}

/** At-rules of styles, by their names. */
export const AT_RULE_LIMITS: Readonly<Record<string, ClientLimit>> = {
  'font-face': { feature: 'A font of your own', effect: 'is not loaded by Gmail and Outlook: name a common font after it.' },
  import: { feature: '`@import`', effect: 'is ignored by Gmail and Outlook: write the styles into the mail.' },
}

/** Elements that some or all of them remove. */
export const ELEMENT_LIMITS: Readonly<Record<string, ClientLimit>> = {
  script: { feature: '`<script>`', effect: 'never runs: all mail programs remove it, and some take mail that has it for dangerous.' },
  form: { feature: '`<form>`', effect: 'does not work in Outlook, and many programs warn of it: link to a page with the form.' },
  video: { feature: '`<video>`', effect: 'is not played by Gmail and Outlook: link an image to the video.' },
  audio: { feature: '`<audio>`', effect: 'is not played by Gmail and Outlook: link to it.' },
  iframe: { feature: '`<iframe>`', effect: 'is removed by all mail programs: link to the page.' },
  object: { feature: '`<object>`', effect: 'is removed by all mail programs.' },
  embed: { feature: '`<embed>`', effect: 'is removed by all mail programs.' },
  svg: { feature: '`<svg>`', effect: 'is not shown by Gmail and Outlook: use a PNG image.' },
}

/** Images by the end of their paths. */
export const IMAGE_LIMITS: Readonly<Record<string, ClientLimit>> = {
  svg: { feature: 'An SVG image', effect: 'is not shown by Gmail and Outlook for Windows: use a PNG.' },
  webp: { feature: 'A WebP image', effect: 'is not shown by Outlook for Windows: use a PNG or a JPEG.' },
  avif: { feature: 'An AVIF image', effect: 'is not shown by Outlook and older programs: use a PNG or a JPEG.' },
}

export const DATA_IMAGE: ClientLimit = {
  feature: 'An image in the HTML itself (`data:`)',
  effect: 'is not shown by Gmail and Outlook: upload it, or attach it.',
}

/** Bytes of HTML after which Gmail shows "Message clipped". */
export const GMAIL_CLIP_BYTES = 102 * 1024

/** Characters of all styles together, of which Gmail ignores what comes after. */
export const GMAIL_STYLE_LENGTH_MAX = 16 * 1024
