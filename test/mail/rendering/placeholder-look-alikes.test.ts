import { describe, expect, it } from 'vitest'
import { LOOK_ALIKES_MAX, placeholderLookAlikes, SEARCHED_LENGTH_MAX } from '../../../src/mail/rendering/placeholder-look-alikes.ts'

const named = async (...texts: (string | null)[]) => (await placeholderLookAlikes(texts, 'filled')).map(({ about }) => about)
const messages = async (text: string) => (await placeholderLookAlikes([text], 'filled')).map(({ message }) => message)

describe('what looks like a placeholder and is none', () => {
  it.each([
    ['%7B%7B%7BEMAIL%7D%7D%7D', 'EMAIL'],
    ['<a href="https://a.example/?e=%7b%7b%7bEMAIL%7cnone%7d%7d%7d">', 'EMAIL'],
    ['{%7B{NAME}%7D}', 'NAME'],
    ['&#123;&#123;&#123;NAME&#125;&#125;&#125;', 'NAME'],
    ['&#x7B;&#x7b;&#X00007b;NAME&#x7D;&#x7d;&rcub;', 'NAME'],
    ['&lcub;&lbrace;{NAME}&rbrace;&rcub;', 'NAME'],
  ])('is named with its encoded braces: %s', async (text, name) =>
    expect(await placeholderLookAlikes([text], 'filled')).toEqual([
      {
        code: 'placeholder_not_filled',
        about: name,
        message: `\`{{{${name}}}}\` is not filled in, because its braces are encoded, as in \`%7B\` or \`&#123;\`: write them as \`{\` and \`}\`.`,
      },
    ]),
  )

  it.each([
    ['{{{<b>NAME</b>}}}', 'NAME'],
    ['{<span style="color:red;font-family:a,b">{{FIRST</span><wbr>_NAME}}}', 'FIRST_NAME'],
    ['{{{NAME}</span><span>}}', 'NAME'],
  ])('is named with tags inside its braces: %s', async (text, name) =>
    expect(await messages(text)).toEqual([
      `\`{{{${name}}}}\` is not filled in, because there are tags inside its braces: put the tags around it.`,
    ]),
  )

  it.each([
    ['{{{FIRST NAME}}}', 'FIRST NAME'],
    ['{{{FIRST&nbsp;\u00a0NAME|you}}}', 'FIRST NAME'],
    ['{ { {NAME} } }', 'NAME'],
  ])('is named with its blanks: %s', async (text, name) =>
    expect(await messages(text)).toEqual([
      `\`{{{${name}}}}\` is not filled in, because there are spaces in its name or between its braces: remove them.`,
    ]),
  )

  it.each([
    ['{{unsubscribe_url}}', 'unsubscribe_url', 'UNSUBSCRIBE_URL'],
    ['{{ Unsubscribe_URL }}', 'Unsubscribe_URL', 'UNSUBSCRIBE_URL'],
    ['{{UNSUBSCRIBE_URL|https://a.example}}', 'UNSUBSCRIBE_URL', 'UNSUBSCRIBE_URL'],
    ['{{{first_name}}', 'first_name', 'FIRST_NAME'],
    ['{{contact.plan}}', 'contact.plan', 'contact.plan'],
  ])('is named with two braces: %s', async (text, name, right) =>
    expect(await messages(text)).toEqual([`\`{{${name}}}\` is not filled in, because it has two braces: write \`{{{${right}}}}\`.`]),
  )

  it.each(['{{{a-b}}}', '{{{größe}}}', '{{{#goods}}}', '{{{NA\u200bME-1}}}'])('is named with what no name has: %s', async (text) =>
    expect(await messages(text)).toEqual([expect.stringContaining('because a name has only ASCII letters, digits, underscores and dots')]),
  )

  it.each([
    '{{{NAME}}}',
    '{{{ NAME | a <b>, & c }}}',
    '{{{{NAME}}}}',
    '{{{a|{{{B}}}}}}',
    '{{}} {{{}}} {{{ }}}',
    '<style>@media screen{.a{color:red}.b{color:red}}</style>',
    '<script type="application/ld+json">{"a":{"b":{"c":1}}}</script>',
    '{{"a":1}}',
    '{name} %7Bname%7D',
    '{{name',
    'name}}}',
    '{{{NAME}',
    `{{{${'a'.repeat(101)}}}}`,
    `{{{${'<b>'.repeat(400)}NAME}}}`,
  ])('is not what is text for everyone, or a placeholder: %s', async (text) => expect(await named(text)).toEqual([]))

  it('is each placeholder of an email that nothing fills in', async () =>
    expect(await placeholderLookAlikes(['Hi {{{NAME|you}}}', null, '{{{{B}}}}'], 'as_written')).toMatchObject([
      { code: 'placeholder_not_filled', about: 'NAME' },
      { code: 'placeholder_not_filled', about: 'B' },
    ]))

  it('is named once, whatever its case, in the order of the texts, and so many times at most', async () => {
    expect(await named('{{b}}', '{{B}} %7B%7B%7Ba%7D%7D%7D', null, '{{b}}')).toEqual(['b', 'a'])
    const many = Array.from({ length: LOOK_ALIKES_MAX + 5 }, (_, at) => `{{v${at}}}`)
    expect(await named(many.join(' '))).toEqual(Array.from({ length: LOOK_ALIKES_MAX }, (_, at) => `v${at}`))
  })

  it('is found wherever it stands in a long text, up to the limit', async () => {
    for (let at = 32 * 1024 - 20; at <= 32 * 1024 + 2; at += 1)
      expect(await named(`${'-'.repeat(at)}{{{FIRST NAME}}}`)).toEqual(['FIRST NAME'])
    expect(await named('-'.repeat(SEARCHED_LENGTH_MAX - 5), '{{a}}')).toEqual(['a'])
    expect(await named('-'.repeat(SEARCHED_LENGTH_MAX), '{{a}}')).toEqual([])
  })

  it('has a name that fits into a header', async () => {
    expect(await named(`{{{${'ü'.repeat(80)}}}}`)).toEqual(['ü'.repeat(50)])
  })
})
