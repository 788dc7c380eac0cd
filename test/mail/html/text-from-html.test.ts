import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEPTH_MAX, INDENTS_MAX } from '../../../src/mail/html/shown-html.ts'
import { textFromHtml } from '../../../src/mail/html/text-from-html.ts'
import { leastCpuMs } from '../../support/clocks/cpu.ts'

const CPU_MS_MAX = 2_000

describe('textFromHtml', () => {
  it('keeps words, links and lists, and leaves out styles, scripts and images', () => {
    const html = `<html><head><title>T</title><style>p { color: red }</style></head><body><h1>Hello</h1><p>See <a href="https://a.example/x?y=1&amp;z=2">our
      page</a> or <a href="https://b.example">https://b.example</a>.</p><img src="https://t.example/pixel.gif" alt=""><ul><li>one</li><li>two</li></ul>
      <script>alert(1)</script><p>Grüße &amp; &lt;mehr&gt;</p></body></html>`
    expect(textFromHtml(html)).toBe(
      'Hello\n\nSee our page (https://a.example/x?y=1&z=2) or https://b.example.\n\n * one\n * two\n\nGrüße & <mehr>',
    )
  })

  const FILLER = '&#847;&zwnj;&nbsp;&#8199;&#65279;&shy;'.repeat(50)
  const nested = (levels: number, inner: string) =>
    '<table role="presentation"><tr><td>'.repeat(levels) + inner + '</td></tr></table>'.repeat(levels)

  it.each([
    [
      'cells and rows of data',
      '<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea<td>3<tr><td></td><td>9</td></tr></table>',
      'Item\tPrice\nTea\t3\n\t9',
    ],
    [
      'cells and rows of layout',
      '<table role="presentation"><tr><td>&nbsp;</td><td>Tea</td><td>3</td></tr><tr><td>Milk<td>2</table>',
      'Tea\t3\nMilk\t2',
    ],
    ['a cell of several lines', '<table role="none"><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>', 'a\n\nb\nc'],
    ['rows without words', 'a<table><tr><td>&nbsp;</td></tr></table>b', 'a\nb'],
    [
      'what stands in a table outside cells',
      '<table><caption>Cap</caption>loose<tr>x<td>1</td>y<td>2</td></tr></table>',
      'Cap\nloose\nxy\n1\t2',
    ],
    ['cells without a table', '<tr><td>a</td><td>b</td></tr>', 'a\nb'],
    ['terms', '<dl><dt>Tea<dd>hot<dt>Milk<dd>cold</dl>', 'Tea\nhot\nMilk\ncold'],
    ['a summary', '<details><summary>More</summary>inner</details>', 'More\ninner'],
    [
      'links that are images',
      '<a href="https://a.example"><img alt="One"></a><a href="https://b.example"><img alt="Two"></a><a href="https://c.example"><img></a><a href="https://d.example"><img></a>',
      'One (https://a.example) Two (https://b.example) https://c.example https://d.example',
    ],
    ['content around the body', 'before<html><head><title>T</title></head><body><p>in</p></body></html>after', 'before\n\nin\n\nafter'],
    ['blocks around the body', '<p>before</p><html><body>in</body></html><p>after</p>', 'before\n\nin\n\nafter'],
    ['display: none', 'a<span style="color:red; DISPLAY : none !important">b<b>c</b></span>d', 'ad'],
    ['a later display', '<p style="display:none;display:block">a</p>', 'a'],
    ['hidden', 'a<p hidden>b<p>c', 'a\n\nc'],
    ['an inner element of a hidden one', '<div hidden>a<div>b</div>c</div>d', 'd'],
    ['data-skip-in-text', '<div data-skip-in-text="true">a<div>b</div></div>c', 'c'],
    ['the filler of a preheader', `<div>Preview${FILLER}</div><div>${FILLER}</div><p>Hello</p>`, 'Preview\n\nHello'],
    ['such a character in a word', '<p>می‌خواهم Donau&shy;dampf</p>', 'می‌خواهم Donau\u00addampf'],
    [
      'mailto links',
      '<a href="mailto:ada@x.example">Write</a> <a href="mailto:ada@x.example">ada@x.example</a>',
      'Write (mailto:ada@x.example) ada@x.example',
    ],
    ['blanks in links', '<a href=" https://x.example/a b?c=d\ne ">go</a>', 'go (https://x.example/a%20b?c=de)'],
    ['empty blocks', 'a<div></div>b<div></div><div>c</div>', 'a\nb\nc'],
    ['nested lists', '<ul><li>a<ul><li>b</ul><li>c</ul><ol start=3 type=a><li>x<li>y</ol>', ' * a\n   * b\n * c\n\n c. x\n d. y'],
    ['a Roman number with five digits', '<ol type=i start=10000><li>x</ol>', ' 10000. x'],
    ['quotes', '<blockquote>q<blockquote>r</blockquote></blockquote>s', '> q\n> \n> > r\n\ns'],
    ['lines as written', '<pre>a  b\n  c</pre>', 'a  b\n  c'],
    ['40 tables in each other', nested(40, '<a href="https://x.example">deep</a>'), 'deep (https://x.example)'],
    ['more levels than are laid out', nested(DEPTH_MAX, 'deep'), 'deep'],
    [
      'more quotes in each other than are marked',
      `${'<blockquote>'.repeat(INDENTS_MAX + 1)}q${'</blockquote>'.repeat(INDENTS_MAX + 1)}s`,
      `${'> '.repeat(INDENTS_MAX)}q\n\ns`,
    ],
    [
      'more than 20,000 tags',
      '<p><a href="https://x.example">a</a></p>'.repeat(11_000),
      Array(11_000).fill('a (https://x.example)').join('\n\n'),
    ],
  ])('reads as it is shown: %s', (_name, html, text) => expect(textFromHtml(html)).toBe(text))

  it.each([
    ['elements nested without end', '<div>'.repeat(400_000)],
    ['paragraphs before blocks', '<p><div>'.repeat(125_000)],
    ['closed by the wrong names', '<div>'.repeat(100_000) + '</x>'.repeat(100_000)],
    ['quotes in quotes', '<blockquote>'.repeat(99) + '<p>x</p>'.repeat(120_000)],
    ['lists in lists', '<ol><li>x'.repeat(110_000)],
    ['tables in tables', '<table><tr><td>x'.repeat(62_000)],
    ['paragraphs in tables in tables', '<table><tr><td>x'.repeat(160) + '<p>x'.repeat(240_000)],
    ['hidden elements', '<b hidden>x'.repeat(90_000)],
    ['filler', '\u200c\u200cx'.repeat(300_000)],
    ['opening brackets', '<'.repeat(3_000_000)],
    ['entities', '&amp'.repeat(1_000_000)],
    ['unfinished comments', '<!--'.repeat(500_000)],
    ['unfinished scripts', '<script>'.repeat(300_000)],
    ['attributes', `<a ${'b=c '.repeat(500_000)}`],
    ['spaces', `x${' '.repeat(3_000_000)}y`],
    ['one long word', 'x'.repeat(3_000_000)],
  ])('takes bounded time and space for %s', async (_name, html) => {
    let text = ''
    const spentMs = await leastCpuMs(() => {
      text = textFromHtml(html)
    }, CPU_MS_MAX)
    expect(spentMs).toBeLessThan(CPU_MS_MAX)
    expect(text.length).toBeLessThan(1_000_100)
  })

  it('marks where it cut', () => expect(textFromHtml('word '.repeat(300_000)).endsWith('\n\n[…]')).toBe(true))

  it('never throws', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '</',
      '<a href="',
      '"',
      '<table>',
      '<td>',
      '<li>',
      '<!--',
      '&',
      '&#x',
      ';',
      '<br/>',
      'x',
      ' ',
      '\0',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
        expect(textFromHtml(pieces.join(''))).toBeTypeOf('string')
      }),
    )
  })
})
