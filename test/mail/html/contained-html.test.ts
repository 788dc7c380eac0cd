import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { containedHtml, SHOWN_LENGTH_MAX, WRITTEN_LENGTH_MAX } from '../../../src/mail/html/contained-html.ts'
import { readHtml } from '../../../src/mail/html/html-tokens.ts'

const IMAGES = new Map([
  ['logo', '/one'],
  ['a b@example.com', '/two'],
  ['a&b', '/three'],
])
const contained = (html: string) => containedHtml(html, (contentId) => IMAGES.get(contentId) ?? null).html

const LINK = '<link rel="preconnect" href="//a.example">'
const OUT = 'target="_blank" rel="noopener noreferrer"'

describe('what an email shows is kept', () => {
  it.each([
    [
      'a whole document',
      '<!DOCTYPE html PUBLIC "x"><html lang="en"><head></head><body bgcolor="#fff"><p class="a">1 &lt; 2 &amp; 3</p></body></html>',
    ],
    ['styles', '<style>p > a { color: red } @media (width < 600px) { p { content: "&"; } }</style><p style="color:red">x</p>'],
    ['pictures', '<img src="https://a.example/x.png" alt="x"><picture><source srcset="https://a.example/y.png 2x"><img></picture>'],
    ['tables', '<table width="600" cellpadding="0"><tr><td valign="top">x</td></tr></table>'],
    ['SVG', '<svg viewbox="0 0 9 9"><path d="M0 0h9" /><circle r="1"></circle></svg>'],
    ['the scheme of its colors', '<meta name="color-scheme" content="light dark">'],
  ])('%s', (_what, html) => expect(contained(html)).toBe(html))

  it('but what lies beyond the length that is read', () => {
    const beginning = 'x'.repeat(SHOWN_LENGTH_MAX - 3)
    expect(containedHtml(`${beginning}<b>`, () => null)).toEqual({ html: `${beginning}<b>`, isCut: false })
    expect(containedHtml(`${beginning}<b>bold</b>`, () => null)).toEqual({ html: `${beginning}<b>`, isCut: true })
  })

  it.each([
    ['text', "'".repeat(SHOWN_LENGTH_MAX), WRITTEN_LENGTH_MAX],
    ['an attribute', `<p>a<b title="${"'".repeat(SHOWN_LENGTH_MAX - 20)}">b</b>`, '<p>a'.length],
    ['tags', `<p>${'<a b>'.repeat(SHOWN_LENGTH_MAX / 10)}`, WRITTEN_LENGTH_MAX],
    ['addresses of images', `<style>${' cid:logo'.repeat(SHOWN_LENGTH_MAX / 10)}`, WRITTEN_LENGTH_MAX],
  ])('but %s that would make it too long, and what comes after', (_what, html, lengthMax) => {
    const shown = containedHtml(html, () => '/images/'.repeat(20))
    expect(shown.isCut).toBe(true)
    expect(shown.html.length).toBeLessThanOrEqual(lengthMax)
    expect(shown.html.length).toBeGreaterThan(0)
  })
})

describe('links', () => {
  it.each([
    ['<a href="https://a.example/">x</a>', `<a href="https://a.example/" ${OUT}>x</a>`],
    ['<a href="/" target="_top" rel="opener" ping="/" referrerpolicy="unsafe-url">x</a>', `<a href="/" ${OUT}>x</a>`],
    ['<map><area href="/" target="x"></map>', `<map><area href="/" ${OUT}></map>`],
    ['<svg><a xlink:href="/" target="_self" />', `<svg><a xlink:href="/" ${OUT} />`],
  ])('%s opens a tab of its own that learns nothing', (html, wanted) => expect(contained(html)).toBe(wanted))
})

describe('what reaches other servers despite every policy is left out', () => {
  it.each([
    ['a link', LINK, ''],
    ['a link in capitals', '<LINK/REL=preconnect>x', 'x'],
    ['a letter that is a k in lower case only', '<lin\u212a rel=preconnect>x', 'x'],
    ['a refresh', '<meta http-equiv="refresh" content="0;url=//a.example">', ''],
    ['prefetching by meta', '<meta http-equiv="x-dns-prefetch-control" content="on">', ''],
    ['a policy for referrers', '<meta name="referrer" content="unsafe-url"><img referrerpolicy="unsafe-url">', '<img>'],
    ['a second name of one meta', '<meta name="referrer" name="viewport" content="unsafe-url">', ''],
    ['two meanings of one meta', '<meta name="viewport" http-equiv="refresh" content="0">', '<meta name="viewport" content="0">'],
    ['a base', '<base href="//a.example">x', 'x'],
    ['a frame with what it says to others', '<iframe src="//a.example">text</iframe>x', 'x'],
    ['a document in a frame', `<iframe srcdoc='${LINK}'></iframe>`, ''],
    ['a script', '<script>document.write("<p>")</script>x', 'x'],
    ['handlers', '<p onclick="x()" ONLOAD=y>x</p>', '<p>x</p>'],
    ['frames', '<frameset><frame src="//a.example"></frameset>', ''],
    ['objects', '<object data="//a.example"><p>x</p></object><embed src="//a.example">', '<p>x</p>'],
    ['a comment', `a<!-- ${LINK} -->b`, 'ab'],
    ['a comment that browsers end early', `a<!-->${LINK}-->b`, 'a--&gt;b'],
    ['a comment with another end', `a<!-- --!>${LINK}-->b`, 'a--&gt;b'],
    [
      'a style that is none in SVG',
      `<svg><style>${LINK}</style></svg>`,
      '<svg><style>\\3c link rel="preconnect" href="//a.example"></style></svg>',
    ],
    ['the comment of a style', `<style><!-- p { color: red } --></style>`, '<style> p { color: red } --></style>'],
    [
      'text that no browser reads as HTML, or all do',
      `<xmp>${LINK}</xmp><textarea>${LINK}</textarea>`,
      `${escaped(LINK)}<textarea>${escaped(LINK)}</textarea>`,
    ],
    ['the rest of the page as text', `<plaintext>${LINK}`, escaped(LINK)],
    ['an attribute that ends its tag', `<p title='">${LINK}'>x`, `<p title="&quot;&gt;${escaped(LINK)}">x`],
    ['a name that is not one', '<p "><b" x=1>y', '<p>y'],
    ['a doctype that holds a tag', '<!doctype <link>x', '<!doctype link>x'],
  ])('%s', (_what, html, wanted) => expect(contained(html)).toBe(wanted))

  function escaped(text: string): string {
    return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
  }

  it('whatever the source: each sign that opens a tag belongs to one that may be there, wherever a browser thinks it is', () => {
    const pieces = [
      ...[
        '<link rel=preconnect href=//a>',
        '<style>',
        '</style>',
        '<svg>',
        '</svg>',
        '<math>',
        '<title>',
        '</title>',
        '<!--',
        '-->',
        '--!>',
      ],
      ...[
        '<![CDATA[',
        ']]>',
        '<textarea>',
        '</textarea>',
        '<xmp>',
        '<noscript>',
        '<iframe srcdoc="',
        '<plaintext>',
        '<script>',
        '</script>',
      ],
      ...[
        '"',
        "'",
        '<',
        '>',
        '/',
        '=',
        ' ',
        '\n',
        'x',
        '&lt;',
        '&quot;',
        '<p title="',
        '<p title=',
        '<a href=',
        '<!',
        '<?',
        '</',
        '\0',
        'cid:logo',
      ],
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 25 }), (parts) => {
        const html = contained(parts.join(''))
        // Only whole tags, which contain no character that could open or close another.
        expect(html.replace(/<!doctype[^<>]*>|<\/?[a-z][a-z0-9:._-]*(?: [^\s"'<>/=]+="[^"<>]*")*(?: \/)?>/g, '')).not.toMatch(/<[a-z/!?]/i)
        expect(html).not.toMatch(/<(?:link|iframe|script|title|xmp|noscript|plaintext)/i)
        expect(containedHtml(html, () => null).html.replaceAll('\0', '')).toBe(html.replaceAll('\0', ''))
      }),
      { numRuns: 3_000 },
    )
  })

  it('whatever the addresses of images are', () => {
    const hostile = `</style><script>x</script>${LINK}`
    const html = '<style>p { background: url(cid:a) }</style><p style="background:url(cid:a)"><img src="cid:a">'
    expect(containedHtml(html, () => hostile).html).toBe(
      `<style>p { background: url(${inStyle(hostile)}) }</style><p style="background:url(${escaped(hostile)})"><img src="${escaped(hostile)}">`,
    )

    function inStyle(text: string): string {
      return text.replaceAll('<', '\\3c ')
    }
  })

  it('whatever a sheet of styles ends with', () => {
    expect(contained('<style><</style>x')).toBe('<style>\\3c </style>x')
    expect(contained('<style>@media (width < 600px) {}</style>')).toBe('<style>@media (width < 600px) {}</style>')
  })

  it('reads what it wrote as it meant it', () => {
    const seen: string[] = []
    readHtml(contained(`<p title='${LINK}'>${LINK}<svg><title>${LINK}</title>`), { startTag: ({ name }) => seen.push(name) })
    expect(seen).toEqual(['p', 'svg'])
  })
})

describe('inline images', () => {
  it.each([
    ['in double quotes', '<img src="cid:logo">', '<img src="/one">'],
    ['in single quotes', "<img src='cid:logo'>", '<img src="/one">'],
    ['without quotes', '<img src=cid:logo width=1>', '<img src="/one" width="1">'],
    ['in capitals', '<img src="CID:logo">', '<img src="/one">'],
    ['behind a line break', '<img src="\ncid:logo">', '<img src="\n/one">'],
    ['in a style', '<td style="background:url(cid:logo)">', '<td style="background:url(/one)">'],
    ['in quotes in a style', `<td style="background:url('cid:logo')">`, '<td style="background:url(&#39;/one&#39;)">'],
    ['in a sheet of styles', '<style>p { background: url("cid:logo") }</style>', '<style>p { background: url("/one") }</style>'],
    ['in a list of sources', '<img srcset="cid:logo 1x, cid:logo 2x">', '<img srcset="/one 1x, /one 2x">'],
    ['percent-encoded', '<img src="cid:a%20b%40example.com">', '<img src="/two">'],
    ['with an escaped ampersand', '<img src="cid:a&amp;b">', '<img src="/three">'],
  ])('%s lead to our copies', (_how, html, wanted) => expect(contained(html)).toBe(wanted))

  it.each([
    ['an id that is not there', '<img src="cid:other">'],
    ['an id that is not well encoded', '<img src="cid:%E0%A4%A">'],
    ['an id that only begins alike', '<img src="cid:logo2">'],
    ['the word in a text', '<p title="cid:logo">See cid:logo for more</p>'],
    ['the word inside of another address', '<img src="https://a.example/?xcid:logo">'],
  ])('leaves %s alone', (_what, html) => expect(contained(html)).toBe(html))
})
