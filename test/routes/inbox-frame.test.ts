import { describe, expect, it } from 'vitest'
import { frameDocument, framePolicy, mentionsRemoteImages } from '../../src/routes/public/inbox-frame.ts'

const IMAGES = new Map([
  ['logo', '/one'],
  ['a b@example.com', '/two'],
  ['a&b', '/three'],
])
const framed = (html: string) => frameDocument(html, (contentId) => IMAGES.get(contentId) ?? null)

describe('frameDocument', () => {
  it.each([
    ['in double quotes', '<img src="cid:logo">', '<img src="/one">'],
    ['in single quotes', "<img src='cid:logo'>", "<img src='/one'>"],
    ['without quotes', '<img src=cid:logo width=1>', '<img src=/one width=1>'],
    ['in capitals', '<img src="CID:logo">', '<img src="/one">'],
    ['in a style', '<td style="background:url(cid:logo)">', '<td style="background:url(/one)">'],
    ['in a list of sources', '<img srcset="cid:logo 1x, cid:logo 2x">', '<img srcset="/one 1x, /one 2x">'],
    ['percent-encoded', '<img src="cid:a%20b%40example.com">', '<img src="/two">'],
    ['with an escaped ampersand', '<img src="cid:a&amp;b">', '<img src="/three">'],
  ])('leads to an inline image %s', (_how, html, wanted) => {
    expect(framed(html)).toBe(`<base target="_blank">${wanted}`)
  })

  it.each([
    ['an id that is not there', '<img src="cid:other">'],
    ['an id that is not well encoded', '<img src="cid:%E0%A4%A">'],
    ['an id that only begins alike', '<img src="cid:logo2">'],
    ['the word in a text', '<p>See cid:logo for more</p>'],
  ])('leaves %s alone', (_what, html) => {
    expect(framed(html)).toBe(`<base target="_blank">${html}`)
  })

  it('keeps the doctype first, so that the page is laid out as its sender meant', () => {
    expect(framed(' \n<!DOCTYPE html PUBLIC "x"><html>')).toBe(' \n<!DOCTYPE html PUBLIC "x"><base target="_blank"><html>')
  })

  it('takes bounded time for what looks like a thousand unfinished references', () => {
    const hostile = `<!doctype ${'="cid:'.repeat(200_000)}`
    expect(framed(hostile)).toBe(`<base target="_blank">${hostile}`)
  })
})

describe('framePolicy', () => {
  it('allows no script, no form, no frame and nothing of other servers', () => {
    expect(framePolicy(false)).toBe(
      "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    )
  })

  it('allows pictures of other servers when they were asked for, and nothing else', () => {
    expect(framePolicy(true)).toBe(framePolicy(false).replace("img-src data: 'self'", "img-src data: 'self' https: http:"))
  })
})

describe('mentionsRemoteImages', () => {
  it('takes bounded time for long runs of spaces', () => {
    const spaces = ' '.repeat(1_000_000)
    expect(mentionsRemoteImages(`<img src=${spaces}x url(${spaces}x ,${spaces}x src${spaces}`)).toBe(false)
  })

  it.each([
    ['<img src="https://a.example/x.png">', true],
    ['<IMG SRC=http://a.example/x.png>', true],
    ['<img alt="" src = "//a.example/x.png">', true],
    ['<img srcset="data:, 1x, https://a.example/x.png 2x">', true],
    ['<td background="https://a.example/x.png">', true],
    ['<p style="background: url( \'https://a.example/x.png\')">', true],
    ['<img src="cid:logo">', false],
    ['<img src="data:image/png;base64,AA//">', false],
    ['<p>https://a.example/x.png</p>', false],
    ['<a href="https://a.example/">A link</a>', false],
  ])('says of %s: %s', (html, wanted) => {
    expect(mentionsRemoteImages(html)).toBe(wanted)
  })
})
