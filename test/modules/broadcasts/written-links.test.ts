import { describe, expect, it } from 'vitest'
import { readHtml } from '../../../src/mail/html/html-tokens.ts'
import { contactPlaceholders, contactValues } from '../../../src/mail/rendering/contact-placeholders.ts'
import { readHtmlText, render } from '../../../src/mail/rendering/rendering.ts'
import { linkAsWritten, WRITTEN_LINKS_MAX, writtenLinks } from '../../../src/modules/broadcasts/written-links.ts'

const NOWHERE = { unsubscribeUrl: null, viewUrl: null }
const valuesOf = (firstName: string | null, email = 'ada@example.org') =>
  contactValues(
    contactPlaceholders([{ number: 1, key: 'plan', fallbackValue: 'none' }]),
    { email, firstName, lastName: null, properties: {} },
    NOWHERE,
  )
const written = async (html: string) => (await writtenLinks(html)).map((link) => link.written)

/** Where the links of the whole email lead. */
async function targetsIn(html: string, valueFor: ReturnType<typeof valuesOf>): Promise<string[]> {
  const rendered = render(await readHtmlText(html), valueFor, 1_000_000)
  if (rendered === 'too long') throw new Error('too long')
  const targets: string[] = []
  readHtml(rendered.text, { startTag: ({ attributes }) => void targets.push(attributes[0]?.value.trim() ?? '') })
  return targets
}

describe('the links as they were written', () => {
  it.each([
    ['a value in the query', '<a href="https://x.example/?u={{{EMAIL}}}&amp;a=1">A</a>', 'https://x.example/?u={{{EMAIL}}}&a=1'],
    ['a fallback', "<a href='https://x.example/{{{plan|free}}}'>A</a>", 'https://x.example/{{{plan|free}}}'],
    ['no quotes', '<a href=https://x.example/{{{contact.first_name}}}>A</a>', 'https://x.example/{{{contact.first_name}}}'],
    ['an area', '<area href=" {{{contact.plan}}} ">', '{{{contact.plan}}}'],
  ])('know %s', async (_what, html, source) => {
    expect(await written(html)).toEqual([source])
  })

  it('are only those that differ, each once, and not too many', async () => {
    expect(await written('<a href="https://x.example/">A</a>{{{EMAIL}}}<img src="{{{plan}}}">')).toEqual([])
    expect(await written('<a href="/{{{plan}}}">A</a><a href="/{{{plan}}}">B</a>')).toEqual(['/{{{plan}}}'])
    const many = Array.from({ length: WRITTEN_LINKS_MAX + 1 }, (_, index) => `<a href="/${index}/{{{plan}}}">`).join('')
    expect(await written(many)).toHaveLength(WRITTEN_LINKS_MAX)
  })

  it('are found by where they lead each recipient', async () => {
    const html = `<a href="https://x.example/?u={{{EMAIL}}}&amp;n={{{FIRST_NAME|you & me}}}">A</a><a href="https://y.example/{{{plan}}}#{{{FIRST_NAME}}}">B</a><a href={{{FIRST_NAME}}}/x>C</a>`
    const links = await writtenLinks(html)
    const sources = links.map((link) => link.written)
    expect(sources).toHaveLength(3)
    for (const valueFor of [valuesOf('Ada'), valuesOf(null), valuesOf('a "b" <c> & javascript:1', "o'neil+1@example.org")]) {
      const targets = await targetsIn(html, valueFor)
      expect(targets.map((target) => linkAsWritten(links, target, valueFor))).toEqual(sources)
    }
    expect(linkAsWritten(links, 'https://elsewhere.example/', valuesOf('Ada'))).toBeNull()
  })
})
