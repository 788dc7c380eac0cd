import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHtml } from '../../../src/mail/html/html-tokens.ts'
import type { PlaceholderValue } from '../../../src/mail/rendering/placeholders.ts'
import { readHtmlText, readText, render } from '../../../src/mail/rendering/rendering.ts'

const LENGTH_MAX = 1_000_000

const ofContact = (text: string | null, fallback: string | null = null): PlaceholderValue => ({ text, fallback, isRaw: false })
const ofCaller = (text: string | null, fallback: string | null = null): PlaceholderValue => ({ text, fallback, isRaw: true })

const named = (values: Record<string, PlaceholderValue>) => (name: string) => values[name] ?? null

async function html(source: string, value: PlaceholderValue): Promise<string> {
  const rendered = render(await readHtmlText(source), () => value, LENGTH_MAX)
  if (rendered === 'too long') throw new Error('It is not long')
  return rendered.text
}

describe('a value', () => {
  it('takes the place of each placeholder of its name', () => {
    const text = readText('{{{A}}} and {{{B}}} and {{{A}}}', 'text')
    expect(text.names).toEqual(['A', 'B'])
    expect(render(text, named({ A: ofCaller('1'), B: ofContact('2') }), LENGTH_MAX)).toEqual({
      text: '1 and 2 and 1',
      missing: [],
      broken: [],
    })
  })

  it('is not read again: placeholders in it are text', () =>
    expect(render(readText('{{{A}}}', 'text'), () => ofCaller('{{{A}}}'), LENGTH_MAX)).toEqual({
      text: '{{{A}}}',
      missing: [],
      broken: [],
    }))

  it.each([
    ['a value', ofContact('value', 'own'), 'value'],
    ['an empty value', ofCaller('', 'own'), ''],
    ['no value', ofContact(null, 'own'), 'inline'],
    ['an unknown name', null, 'inline'],
  ])('comes before the fallback of the placeholder, and that one before any other: %s', (_what, value, expected) =>
    expect(render(readText('{{{A|inline}}}', 'text'), () => value, LENGTH_MAX)).toMatchObject({ text: expected }),
  )

  it('has its own fallback where the placeholder has none', () =>
    expect(render(readText('{{{A}}}', 'text'), () => ofContact(null, 'own'), LENGTH_MAX)).toEqual({ text: 'own', missing: [], broken: [] }))

  it('is missing without any fallback, and named once', () =>
    expect(render(readText('{{{A}}}-{{{B}}}-{{{A}}}', 'text'), named({ B: ofCaller(null) }), LENGTH_MAX)).toEqual({
      text: '--',
      missing: ['A', 'B'],
      broken: [],
    }))

  it('is written as it is in text and in a line', () => {
    const value = ofContact('<b> & "c" javascript:')
    for (const kind of ['text', 'line'] as const)
      expect(render(readText('{{{A}}}', kind), () => value, LENGTH_MAX)).toMatchObject({ text: '<b> & "c" javascript:' })
  })

  it.each(['a\r\nBcc: x', 'a\nBcc: x', 'a\rBcc: x', 'a\u2028Bcc: x', 'a\u0085Bcc: x'])(
    'loses its line breaks in a line, which is told',
    (text) =>
      expect(render(readText('{{{A}}}!', 'line'), () => ofCaller(text), LENGTH_MAX)).toEqual({
        text: 'a Bcc: x!',
        missing: [],
        broken: ['A'],
      }),
  )

  it('keeps its line breaks in text', () =>
    expect(render(readText('{{{A}}}', 'text'), () => ofContact('a\r\nb'), LENGTH_MAX)).toEqual({ text: 'a\r\nb', missing: [], broken: [] }))
})

it('makes nothing that would be too long', () => {
  const text = readText('{{{A}}}'.repeat(100_000), 'text')
  const value = ofCaller('x'.repeat(1_000_000))
  expect(render(text, () => value, 10_000_000)).toBe('too long')
  expect(render(readText('{{{A}}}', 'text'), () => ofCaller('ü'), 1)).toBe('too long')
  expect(render(readText('{{{A}}}', 'text'), () => value, 1_000_000)).toMatchObject({ missing: [] })
})

describe('what the sender gives is HTML', () => {
  it.each(['<p>{{{A}}}</p>', '<a href="{{{A}}}">', '<script>{{{A}}}</script>', '<p {{{A}}}>', '<p style="{{{A}}}">'])(
    'in %s',
    async (source) => expect(await html(source, ofCaller('<b> & "c"'))).toBe(source.replace('{{{A}}}', '<b> & "c"')),
  )

  it('and so is the fallback of the placeholder', async () =>
    expect(await html('<p title="{{{A|"><b>}}}">', ofContact(null))).toBe('<p title=""><b>">'))
})

describe('what other people give is escaped in HTML', () => {
  it.each([
    ['<p>{{{A}}}</p>', `<b>&"'`, '<p>&lt;b&gt;&amp;&quot;&#39;</p>'],
    ['<p title="{{{A}}}">', '"><b>', '<p title="&quot;&gt;&lt;b&gt;">'],
    ["<p title='{{{A}}}'>", "' onclick='x", "<p title='&#39; onclick=&#39;x'>"],
    ['<p title={{{A}}}>', 'a onclick=`x', '<p title=a&#32;onclick&#61;&#96;x>'],
    ['<p title = {{{A}}} >', 'a b', '<p title = a&#32;b >'],
    ['<textarea>{{{A}}}</textarea>', '</textarea><b>', '<textarea>&lt;/textarea&gt;&lt;b&gt;</textarea>'],
    ['<title>{{{A}}}</title>', '</title>', '<title>&lt;/title&gt;</title>'],
    ['<!-- {{{A}}} -->', '--><b>', '<!-- &#45;&#45;&#62;&#60;b&#62; -->'],
    ['<!--[if mso]><v:rect href="{{{A}}}"><![endif]-->', 'javascript:x', '<!--[if mso]><v:rect href="javascript&#37;3Ax"><![endif]-->'],
    ['<a href="{{{A}}}', '"><b>', '<a href="'],
    ['a < {{{A}}}', '<b>', 'a < &lt;b&gt;'],
  ])('%s', async (source, text, expected) => expect(await html(source, ofContact(text))).toBe(expected))

  it('with the fallback of its property', async () => expect(await html('<p>{{{A}}}</p>', ofContact(null, '<b>'))).toBe('<p>&lt;b&gt;</p>'))

  it.each([
    '<{{{A}}}>',
    '<p{{{A}}}>',
    '<p {{{A}}}>',
    '<p {{{A}}}="x">',
    '<p onclick="{{{A}}}">',
    '<p OnClick={{{A}}}>',
    '<iframe srcdoc="{{{A}}}">',
    '<script>{{{A}}}</script>',
    '<SCRIPT>{{{A}}}</SCRIPT>',
    '<style>a{background:{{{A}}}}</style>',
    '<p style="background:{{{A}}}">',
    '<a href="javascript:x(\'{{{A}}}\')">',
    '<p title="a" title="{{{A}}}">',
  ])('and left out where escaping does not help: %s', async (source) =>
    expect(await html(source, ofContact('url(//a.example/x)'))).toBe(source.replace('{{{A}}}', '')),
  )

  it.each(['<style>a{color:{{{A}}}}</style>', '<p style="color:{{{A}}}">', "<td style='width:{{{A}}};x:y'>"])(
    'but a style may have a color or a number: %s',
    async (source) => {
      expect(await html(source, ofContact('#ff0088'))).toBe(source.replace('{{{A}}}', '#ff0088'))
      expect(await html(source, ofContact('12.5px'))).toBe(source.replace('{{{A}}}', '12.5px'))
    },
  )
})

describe('a link', () => {
  it.each([
    ['https://a.example/?b=c:d&e', 'https://a.example/?b=c:d&amp;e'],
    ['HTTP://a.example', 'HTTP://a.example'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['tel:+1', 'tel:+1'],
    [' https://a.example\n', 'https://a.example'],
    ['/path:x', '/path:x'],
    ['?a:b', '?a:b'],
    ['javascript:alert(1)', 'javascript%3Aalert(1)'],
    ['JaVaScRiPt:alert(1)', 'JaVaScRiPt%3Aalert(1)'],
    ['java\tscript:alert(1)', 'java\tscript%3Aalert(1)'],
    ['\u0001javascript:alert(1)', '\u0001javascript%3Aalert(1)'],
    ['data:text/html,<b>', 'data%3Atext/html,&lt;b&gt;'],
    ['vbscript:x', 'vbscript%3Ax'],
    ['file:///etc', 'file%3A///etc'],
    ['a.example:80/x', 'a.example%3A80/x'],
  ])('does not get another scheme than those of links from a contact: %s', async (text, expected) => {
    for (const source of ['<a href="{{{A}}}">', "<img src=' {{{A}}}'>", '<a xlink:href="{{{A}}}">', '<form action="{{{A}}}">'])
      expect(await html(source, ofContact(text))).toBe(source.replace('{{{A}}}', expected))
  })

  it.each([
    ['<a href="https://a.example/{{{A}}}">', 'b:c', '<a href="https://a.example/b%3Ac">'],
    ['<a href="https:{{{A}}}">', 'b:c', '<a href="https:b%3Ac">'],
    ['<a href="mailto:{{{A}}}">', 'a:b@c.example', '<a href="mailto:a%3Ab@c.example">'],
    ['<a href="#{{{A}}}">', 'a:b', '<a href="#a%3Ab">'],
    ['<a href="java&#115;{{{A}}}">', 'cript:x', '<a href="java&#115;cript%3Ax">'],
    ['<a href="java{{{A}}}">', 'script:x', '<a href="javascript%3Ax">'],
    ['<a href="{{{A}}}{{{A}}}">', 'a:', '<a href="a%3Aa%3A">'],
    ['<a href="{{{A}}}://a.example">', 'javascript', '<a href="unknown-javascript://a.example">'],
    ['<a href="{{{A}}}&#58;x">', 'javascript', '<a href="unknown-javascript&#58;x">'],
    ['<a href="{{{A}}}&#x03a;x">', 'javascript', '<a href="unknown-javascript&#x03a;x">'],
    ['<a href="{{{A}}}&colon;x">', 'javascript', '<a href="unknown-javascript&colon;x">'],
    ['<a href="{{{A}}}://a.example">', 'https', '<a href="https://a.example">'],
    ['<a href="{{{A}}}:8080/">', 'http://a.example', '<a href="http://a.example:8080/">'],
    ['<a href="{{{A}}}&amp;b=c">', 'x', '<a href="x&amp;b=c">'],
    ['<a href="{{{A}}}?at=10:00">', 'x', '<a href="x?at=10:00">'],
    ['<meta http-equiv="refresh" content="0;url={{{A}}}">', 'javascript:x', '<meta http-equiv="refresh" content="0;url=javascript%3Ax">'],
    ['<set attributeName="href" values="a=;{{{A}}}">', 'javascript:x', '<set attributeName="href" values="a=;javascript%3Ax">'],
    [`<a href="${'x'.repeat(300)}{{{A}}}">`, 'y:z', `<a href="${'x'.repeat(300)}unknown-y%3Az">`],
    [`<a href="/${'x'.repeat(300)}{{{A}}}">`, 'y:z', `<a href="/${'x'.repeat(300)}y%3Az">`],
    ['<a href={{{A}}}>', 'https://a.example/?b', '<a href=https&#58;&#47;&#47;a&#46;example&#47;&#63;b>'],
  ])('gets its scheme from the sender: %s', async (source, text, expected) => expect(await html(source, ofContact(text))).toBe(expected))
})

// A placeholder in a name leaves nothing there, and with it another name than the letters around it seem to make.
it.each([
  ['<a {{{A}}}href="{{{A}}}">', 'javascript:x', '<a href="javascript%3Ax">'],
  ['<a h{{{A}}}ref="{{{A}}}">', 'javascript:x', '<a href="javascript%3Ax">'],
  ['<a {{{A}}}onclick="{{{A}}}">', 'x()', '<a onclick="">'],
  ['<{{{A}}}script>{{{A}}}</script>', 'x()', '<script></script>'],
  ['<s{{{A}}}tyle>{{{A}}}</style>', '</style><b>', '<style></style>'],
  ['<p {{{A}}}={{{A}}}<script>', '<', '<p =<script>'],
  ['<b>x</{{{A}}}>', 'b', '<b>x</>'],
])('gives a value its place by the name that is left: %s', async (source, text, expected) =>
  expect(await html(source, ofContact(text))).toBe(expected),
)

it.each([
  [3, 'a'],
  [30, ''],
])('gives values where %s names depend on each other: %j', async (count, value) =>
  expect(await html(`<p ${'{{{A}}}=x/'.repeat(count)}>{{{A}}}`, ofContact('a'))).toBe(`<p ${'=x/'.repeat(count)}>${value}`),
)

// What two values would make together, or one that is empty.
it.each([
  ['<a class={{{A}}} href="{{{B}}}">', '', 'x', '<a class=&#32; href="x">'],
  ['<img width={{{A}}} alt="{{{B}}}">', '', 'x onerror=y ', '<img width=&#32; alt="x onerror=y ">'],
  ['<p style={{{A}}} title="{{{B}}}">', ';', 'x', '<p style=&#32; title="x">'],
  ['<a href=https://a.example/{{{A}}}>', '', '', '<a href=https://a.example/>'],
  ['<!--{{{A}}}><b>-->', '', '', '<!--&#32;><b>-->'],
  ['<a href="{{{A}}}&{{{B}}}">', 'javascript', 'colon;x()', '<a href="javascript&">'],
  ['<a href="{{{A}}}&#5{{{B}}};x">', 'javascript', '8', '<a href="javascript&#5;x">'],
  ['<a href="https://a.example/?{{{A}}}&{{{B}}}">', 'a=1', 'b', '<a href="https://a.example/?a%3D1&b">'],
  ['<title><{{{A}}}> {{{B}}}</title>', '/title', 'x', '<title><> x</title>'],
  ['<script type="application/ld+json">"<{{{A}}}>{{{B}}}"</script>', '/script', 'x', '<script type="application/ld+json">"<>x"</script>'],
  ['<title></tit{{{A}}}le><a href="{{{B}}}"></title>', '', 'javascript:x', '<title></title><a href="javascript%3Ax"></title>'],
  ['<![CDATA[><a href="{{{A}}}">]]>{{{B}}}', 'javascript:x', 'x', '<![CDATA[><a href="">]]>x'],
  ['<![CDATA[><p onclick="{{{A}}}">', 'x()', '', '<![CDATA[><p onclick="">'],
  ['</p {{{A}}}"><b title="{{{B}}}">', 'x=', 'y', '</p "><b title="y">'],
])('gives values their place whatever the others are: %s', async (source, a, b, expected) =>
  expect(render(await readHtmlText(source), named({ A: ofContact(a), B: ofContact(b) }), LENGTH_MAX)).toMatchObject({ text: expected }),
)

describe('a value of a contact in a URL is encoded for its place', () => {
  const long = 'x'.repeat(300)
  it.each([
    ['<a href="https://x.example/?e={{{A}}}">', 'ada+news@x.example', '<a href="https://x.example/?e=ada%2Bnews%40x.example">'],
    ['<a href="https://x.example/?a=1&amp;e={{{A}}}&amp;f">', 'a&b=c#d', '<a href="https://x.example/?a=1&amp;e=a%26b%3Dc%23d&amp;f">'],
    ['<a href="https://x.example/{{{A}}}/x">', 'a/b ?%', '<a href="https://x.example/a%2Fb%20%3F%25/x">'],
    ['<a href="https://x.example/#{{{A}}}">', 'a b"ü', '<a href="https://x.example/#a%20b%22%C3%BC">'],
    ['<a href="https://{{{A}}}.x.example/">', 'evil.example/', '<a href="https://evil.example%2F.x.example/">'],
    ['<a href="https://{{{A}}}">', 'a.example/b?c=d&e="ü', '<a href="https://a.example/b?c=d&amp;e=%22%C3%BC">'],
    ['<a href="{{{A}}}?e={{{A}}}">', 'https://a.example/?', '<a href="https://a.example/??e=https%3A%2F%2Fa.example%2F%3F">'],
    [
      '<a href="{{{A}}}&amp;e={{{A}}}">',
      'https://a.example/?b&c',
      '<a href="https://a.example/?b&amp;c&amp;e=https%3A%2F%2Fa.example%2F%3Fb%26c">',
    ],
    ['<a href="//{{{A}}}">', 'a.example/b', '<a href="//a.example/b">'],
    ['<a href="//x.example/?e={{{A}}}">', 'a&b', '<a href="//x.example/?e=a%26b">'],
    ['<object data="//x.example/?e={{{A}}}">', 'a&b', '<object data="//x.example/?e=a%26b">'],
    ['<a href="https://x.example/?u=https://{{{A}}}">', 'a.example/&b', '<a href="https://x.example/?u=https://a.example%2F%26b">'],
    ['<a href="mailto:{{{A}}}">', 'ada+a,b?c=d&e@x.example', '<a href="mailto:ada+a%2Cb%3Fc%3Dd%26e@x.example">'],
    ['<a href="mailto:a@b.example?subject={{{A}}}">', 'a & b+c@', '<a href="mailto:a@b.example?subject=a%20%26%20b%2Bc%40">'],
    [`<a href="mailto:${long}?subject={{{A}}}">`, 'a@b', `<a href="mailto:${long}?subject=a%40b">`],
    ['<a href="tel:{{{A}}}">', '+1 23', '<a href="tel:+1%2023">'],
    ['<img src="https://x.example/{{{A}}}.png?n={{{A}}}">', "Ada's", '<img src="https://x.example/Ada%27s.png?n=Ada%27s">'],
    ['<img src=https://x.example/?n={{{A}}}>', 'a b', '<img src=https://x.example/?n=a%20b>'],
    ['<img srcset="https://x.example/?n={{{A}}} 2x, {{{A}}} 3x">', 'a,b', '<img srcset="https://x.example/?n=a%2Cb 2x, a,b 3x">'],
    [`<a href="https://x.example/${long}?e={{{A}}}">`, 'a&b', `<a href="https://x.example/${long}?e=a%26b">`],
    [
      '<!--[if mso]><v:rect href="https://x.example/?e={{{A}}}"><![endif]-->',
      'a+b@c',
      '<!--[if mso]><v:rect href="https://x.example/?e=a%2Bb%40c"><![endif]-->',
    ],
    ['<meta property="og:title" content="For: {{{A}}}">', 'A & B', '<meta property="og:title" content="For: A &amp; B">'],
    [
      '<meta property="og:url" content="https://x.example/?e={{{A}}}">',
      'A & B',
      '<meta property="og:url" content="https://x.example/?e=A%20%26%20B">',
    ],
    ['<a href="https://x.example/?e={{{A}}}">', 'a\ud800', '<a href="https://x.example/?e=a%EF%BF%BD">'],
    ['<p>https://x.example/ {{{A}}}</p>', 'a b', '<p>https://x.example/ a b</p>'],
  ])('%s', async (source, text, expected) => expect(await html(source, ofContact(text))).toBe(expected))

  it('also if it is the fallback of a property, but not if the sender gives it', async () => {
    const source = '<a href="https://x.example/?e={{{A}}}">'
    expect(await html(source, ofContact(null, 'a b'))).toBe('<a href="https://x.example/?e=a%20b">')
    expect(await html(source, ofCaller('a b&c'))).toBe('<a href="https://x.example/?e=a b&c">')
  })

  it.each([
    ['See https://x.example/?e={{{A}}}&f={{{A}}}.', 'a+b@c', 'See https://x.example/?e=a%2Bb%40c&f=a%2Bb%40c.'],
    ['<https://x.example/{{{A}}}> {{{A}}}', 'a/b c', '<https://x.example/a%2Fb%20c> a/b c'],
    ['{{{A}}}', 'https://a.example/?b=c&d', 'https://a.example/?b=c&d'],
    ['https://{{{A}}}\n', 'a.example/b?c', 'https://a.example/b?c\n'],
    ['mailto:{{{A}}}?subject={{{A}}}', 'a+b@c', 'mailto:a+b@c?subject=a%2Bb%40c'],
    ['Mailto: {{{A}}}', 'a b', 'Mailto: a b'],
    ['{{{A}}}?e={{{A}}}', 'a&b', 'a&b?e=a%26b'],
    ['{{{A}}}&e={{{A}}}', 'a&b', 'a&b&e=a%26b'],
    ['www.x.example/?e={{{A}}}? {{{A}}}', 'a&b', 'www.x.example/?e=a%26b? a&b'],
    ['a? {{{A}}} = {{{A}}} & co={{{A}}}', 'a b', 'a? a b = a b & co=a b'],
    [`https://x.example/${'x'.repeat(5_000)}/{{{A}}}`, 'a b', `https://x.example/${'x'.repeat(5_000)}/a%20b`],
  ])('in plain text: %s', (source, value, expected) =>
    expect(render(readText(source, 'text'), () => ofContact(value), LENGTH_MAX)).toMatchObject({ text: expected }),
  )
})

describe('JSON-LD', () => {
  const inScript = (json: string) => `<script type="application/ld+json">${json}</script>`
  it.each([
    ['{"url":"{{{A}}}"}', 'https://a.example/u?a=b&c', '{"url":"https://a.example/u?a=b\\u0026c"}'],
    ['{"name":"{{{A}}}"}', '"</script><b>\\\n', '{"name":"\\"\\u003c/script\\u003e\\u003cb\\u003e\\\\\\n"}'],
    ['{"url":"https://x.example/?e={{{A}}}","name":"{{{A}}}"}', 'a"b', '{"url":"https://x.example/?e=a%22b","name":"a\\"b"}'],
  ])('gets values as JSON: %s', async (json, value, expected) =>
    expect(await html(inScript(json), ofContact(value))).toBe(inScript(expected)),
  )

  it('is the only script that gets any', async () =>
    expect(await html('<script type="application/json">{{{A}}}</script>', ofContact('x'))).toBe(
      '<script type="application/json"></script>',
    ))
})

it('reads 200,000 placeholders of one URL in plain text', () =>
  expect(readText(`https://x.example/${'{{{A}}}'.repeat(200_000)}`, 'text').parts).toHaveLength(200_001))

it.each(['?', '<a href="?">', '<a href=?>', '<a ?>', '<?>', '<!-- ? -->', '<style>?</style>', '<a href="?', '</a?>'])(
  'reads 200,000 placeholders in one place: %s',
  async (source) => {
    const read = await readHtmlText(source.replace('?', '{{{A}}}'.repeat(200_000)))
    expect(read.parts.filter((part) => typeof part !== 'string').length).toBe(200_000)
    expect(render(read, () => ofContact('x'), 10_000_000)).toMatchObject({ missing: [], broken: [] })
  },
)

it('keeps the tags and attributes of any HTML, whatever a contact is called', async () => {
  const pieces = [
    ...[
      '{{{A}}}',
      '{{{B}}}',
      '{{{A|"}}}',
      '<a href=',
      '<a href="',
      'href="',
      '<',
      'script>',
      "<img src='",
      '<p title=',
      '<p ',
      '<b>',
      '</b>',
      '</',
      '"',
      "'",
      '>',
      '=',
      ' ',
      'x',
      ':',
      '/',
    ],
    ...['<!--', '-->', '<script>', '</script>', '<style>', '</style>', '<title>', '</title>', '<svg>', '&', '&#', ';', '\n'],
  ]
  const values = fc.array(
    fc.constantFrom('<', '>', '"', "'", '=', ' ', '`', '&', ';', '/', '-', '!', 'javascript:', 'data:', 'a', '\t', '</script>'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 25 }), values, values, async (parts, words, others) => {
      const read = await readHtmlText(parts.join(''))
      const structure = (a: string, b: string) => {
        const rendered = render(read, named({ A: ofContact(a), B: ofContact(b) }), LENGTH_MAX)
        return structureOf(rendered === 'too long' ? '' : rendered.text)
      }
      const hostile = structure(words.join(''), others.join(''))
      expect(hostile.tags).toEqual(structure('a', 'a').tags)
      expect(hostile.links.filter((link) => /^\s*(javascript|data):/i.test(link) && !parts.includes(':'))).toEqual([])
    }),
    { numRuns: 10_000 },
  )
})

function structureOf(source: string): { tags: string[]; links: string[] } {
  const tags: string[] = []
  const links: string[] = []
  readHtml(source, {
    startTag({ name, attributes }) {
      tags.push(`<${[name, ...attributes.map((attribute) => attribute.name)].join(' ')}>`)
      links.push(...attributes.filter((attribute) => ['href', 'src'].includes(attribute.name)).map(({ value }) => value))
    },
    endTag: (name) => tags.push(`</${name}>`),
  })
  return { tags, links }
}
