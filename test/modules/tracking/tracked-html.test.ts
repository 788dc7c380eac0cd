import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHtml } from '../../../src/mail/html/html-tokens.ts'
import { findTrackablePlaces, findUnsubscribeLinks, TRACKED_LINKS_MAX, trackedHtml } from '../../../src/modules/tracking/tracked-html.ts'

const RULES = {
  untrackedPrefixes: ['https://api.example.net/unsubscribe/', 'https://links.example.com/t/c/'],
  unsubscribeLinks: findUnsubscribeLinks('<mailto:leave@example.com>, <https://example.com/leave>'),
}

/** Writes the number of each link in its place. */
async function tracked(html: string) {
  const places = await findTrackablePlaces(html, RULES)
  const targets = places.links.map(({ target }) => target)
  let number = 0
  return { targets, html: trackedHtml(html, places, { linkTo: () => `https://t/${++number}`, atEnd: '<img>' }) }
}

describe('a link is replaced', () => {
  it.each([
    ['<a href="https://a.example.com/x">x</a>', 'https://a.example.com/x', '<a href="https://t/1">x</a>'],
    ["<A HREF='HTTP://a.example.com'>x</A>", 'HTTP://a.example.com', "<A HREF='https://t/1'>x</A>"],
    ['<a  class=b href = https://a.example.com/x >x</a>', 'https://a.example.com/x', '<a  class=b href = https://t/1 >x</a>'],
    ['<a href=https://a.example.com/x>x</a>', 'https://a.example.com/x', '<a href=https://t/1>x</a>'],
    ['<area shape="rect" href="https://a.example.com/map"/>', 'https://a.example.com/map', '<area shape="rect" href="https://t/1"/>'],
    ['<a href="https://a.example.com/?a=1&amp;b=2&#38;c">x</a>', 'https://a.example.com/?a=1&b=2&c', '<a href="https://t/1">x</a>'],
    ['<a href="\n https://a.example.com/x \t">x</a>', 'https://a.example.com/x', '<a href="https://t/1">x</a>'],
    ['<a title="a > b" href="https://a.example.com/ü ü">x</a>', 'https://a.example.com/ü ü', '<a title="a > b" href="https://t/1">x</a>'],
    [
      '<a href="https://a.example.com/1" href="https://b.example.com">x</a>',
      'https://a.example.com/1',
      '<a href="https://t/1" href="https://b.example.com">x</a>',
    ],
  ])('%s', async (html, target, expected) => {
    expect(await tracked(html)).toEqual({ targets: [target], html: `${expected}<img>` })
  })
})

describe('stays as it was', () => {
  it.each([
    '<a href="mailto:a@example.com">x</a>',
    '<a href="tel:+123">x</a>',
    '<a href="#part">x</a>',
    '<a href="/relative">x</a>',
    '<a href="//example.com/x">x</a>',
    '<a href="ftp://example.com/x">x</a>',
    '<a href="javascript:location=\'https://example.com\'">x</a>',
    '<a href="https://">x</a>',
    '<a href="https://exa mple.com/">x</a>',
    '<a href="">x</a>',
    '<a href>x</a>',
    '<a name="https://example.com">x</a>',
    '<a href="https://example.com/x" data-posthaste-untracked>x</a>',
    '<a data-posthaste-untracked="" href="https://example.com/x">x</a>',
    '<a href="{{{UNSUBSCRIBE_URL}}}">x</a>',
    '<a href="https://example.com/{{{contact.id}}}">x</a>',
    '<a href="https://api.example.net/unsubscribe/1.a.b">x</a>',
    '<a href="https://example.com/leave">x</a>',
    '<a href="https://links.example.com/t/c/abc">x</a>',
    '<img src="https://example.com/x.png">',
    '<link href="https://example.com/x.css">',
    '<form action="https://example.com/x"></form>',
    '<!-- <a href="https://example.com/x">x</a> -->',
    '<!--[if mso]><a href="https://example.com/x">x</a><![endif]-->',
    '<style>a[href="https://example.com"]{}</style>',
    '<textarea><a href="https://example.com/x"></textarea>',
    '<p>https://example.com/x</p>',
    '<a href="https://example.com/x',
    '',
  ])('%j', async (html) => {
    expect(await tracked(html)).toEqual({ targets: [], html: `${html}<img>` })
  })
})

describe('a link of List-Unsubscribe stays as it was', () => {
  it.each([
    ['with a comma in it', '<https://example.com/leave?ids=1,2>', 'https://example.com/leave?ids=1,2'],
    ['beside another with a comma', '<mailto:a@example.com?subject=a,b>, <https://example.com/x,y>', 'https://example.com/x,y'],
    ['with its host in other case', '<https://Example.com/leave>', 'HTTPS://EXAMPLE.COM/leave'],
    ['with a fragment', '<https://example.com/leave>', 'https://example.com/leave#top'],
    ['with a fragment in the header', '<https://example.com/leave#a>', 'https://example.com/leave'],
    ['with its port', '<https://example.com/leave>', 'https://example.com:443/leave'],
    ['of a host alone', '<https://example.com>', 'https://example.com/'],
    ['with characters that URLs escape', '<https://example.com/%C3%BC>', 'https://example.com/ü'],
    ['folded', '<https://example.com/\r\n leave>', 'https://example.com/leave'],
    ['without brackets', 'https://example.com/leave', 'https://example.com/leave#x'],
  ])('%s', async (_what, header, link) => {
    const rules = { untrackedPrefixes: [], unsubscribeLinks: findUnsubscribeLinks(header) }
    expect((await findTrackablePlaces(`<a href="${link}">x</a>`, rules)).links).toEqual([])
  })

  it('but another path, in other case, is another link', async () => {
    const rules = { untrackedPrefixes: [], unsubscribeLinks: findUnsubscribeLinks('<https://example.com/leave>') }
    expect((await findTrackablePlaces('<a href="https://example.com/Leave">x</a>', rules)).links).toHaveLength(1)
  })

  it('as does a link of ours whose host is in other case', async () =>
    expect((await tracked('<a href="https://API.example.net/unsubscribe/1.a.b#x">x</a>')).targets).toEqual([]))
})

describe('the image goes', () => {
  it.each([
    ['before the end of the body', '<html><body>x</body></html>', '<html><body>x<img></body></html>'],
    ['before the last end, if there are several', '<body>x</body>y</BODY >z', '<body>x</body>y<img></BODY >z'],
    ['before the end of the document, if the body has none', '<html>x</html>\n', '<html>x<img></html>\n'],
    ['to the end of a part of a document', '<p>x</p>\r\n', '<p>x</p>\r\n<img>'],
    ['not into a comment', 'x<!-- </body> -->', 'x<!-- </body> --><img>'],
    ['before a link that follows the body', '</body><a href="https://a.example.com">', '<img></body><a href="https://t/1">'],
  ])('%s', async (_where, html, expected) => {
    expect((await tracked(html)).html).toBe(expected)
  })
})

it('a link that does not fit stays as it was', async () => {
  const html = '<a href="https://a.example.com">x</a>'
  expect(trackedHtml(html, await findTrackablePlaces(html, RULES), { linkTo: () => null, atEnd: '' })).toBe(html)
})

it('at most as many links as real mail has are replaced', async () => {
  expect((await tracked('<a href=https://a.example.com>'.repeat(TRACKED_LINKS_MAX + 1))).targets.length).toBe(TRACKED_LINKS_MAX)
})

const WORDS = [
  '<',
  '>',
  '"',
  "'",
  '=',
  ' ',
  '/',
  '&amp;',
  '&',
  '<a ',
  'href',
  'https://a.example.com/',
  '</body>',
  '<!--',
  '-->',
  '<style>',
  '</style>',
  '\0',
  'ü',
  '\ud800',
  '<svg>',
  'x',
]

it('of any text, only links and the image are changed, and a browser reads the rest as before', async () => {
  const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 60 }).map((words) => words.join(''))
  await fc.assert(
    fc.asyncProperty(text, async (html) => {
      const places = await findTrackablePlaces(html, RULES)
      // What was found goes back to its place.
      const back = trackedHtml(html, places, { linkTo: (target) => target, atEnd: '' })
      expect(startTags(back)).toEqual(startTags(html))
      // A replaced link is the value of that link, and of nothing else.
      const others = startTags(html)
        .flat()
        .filter((value) => value !== null && places.links.every(({ target }) => value.trim() !== target))
      const replaced = trackedHtml(html, places, { linkTo: () => 'https://t/1', atEnd: '' })
      expect(
        startTags(replaced)
          .flat()
          .filter((value) => value !== 'https://t/1'),
      ).toEqual(others)
    }),
    { numRuns: 2_000 },
  )
})

/** The values of the attributes of each tag. */
function startTags(html: string): string[][] {
  const tags: string[][] = []
  readHtml(html, { startTag: ({ attributes }) => tags.push(attributes.map(({ value }) => value.trim())) })
  return tags
}

it('20 MB are read in time, and other work continues meanwhile', async () => {
  const html = `<p>${'<a href="https://a.example.com/x">x</a> '.repeat(500_000)}</p>`
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 1)
  await findTrackablePlaces(html, RULES)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
})
