import { expect, it } from 'vitest'
import { fillTemplates } from '../../../src/modules/emails/fill-templates.service.ts'
import { templateReference } from '../../../src/modules/templates/template-variables.schema.ts'
import { emailInput } from '../../support/builders/emails.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

/** There is room for everything. */
const takeRoom = () => {}

const entryOf = (changes: object) => ({ input: { to: 'a@example.com', ...changes }, template: null })

/** Counts the questions that are asked of the database. */
function countedContext() {
  const { context } = service.service
  const { templateVersions } = context.repositories
  const asked = { sendable: 0, content: 0 }
  const counted: typeof templateVersions = {
    ...templateVersions,
    sendable: (...request) => {
      asked.sendable += 1
      return templateVersions.sendable(...request)
    },
    content: (...request) => {
      asked.content += 1
      return templateVersions.content(...request)
    },
  }
  return { asked, context: { ...context, repositories: { ...context.repositories, templateVersions: counted } } }
}

it('asks nothing for emails without a template, and returns them as they are', async () => {
  const { asked, context } = countedContext()
  const entries = [entryOf(emailInput()), { refusal: { kind: 'validation' as const, message: 'x' } }, entryOf({ template: null })]
  expect(await fillTemplates(context, service.teamId, { entries, takeRoom })).toBe(entries)
  expect(asked).toEqual({ sendable: 0, content: 0 })
})

it('asks once for all templates of a request, and reads each version once', async () => {
  const { asked, context } = countedContext()
  const ids = [await publishedTemplate(service), await publishedTemplate(service, { alias: 'second' })]
  const entries = [...ids, 'second', ids[0]].map((id) => entryOf({ template: { id } }))
  for (let times = 1; times <= 2; times += 1) {
    const filled = await fillTemplates(context, service.teamId, { entries, takeRoom })
    expect(filled.map((entry) => 'template' in entry && entry.template?.id)).toEqual([ids[0], ids[1], ids[1], ids[0]])
  }
  expect(asked).toEqual({ sendable: 2, content: 2 })
})

it('finds no template whose version is gone between two questions', async () => {
  const { context } = countedContext()
  const id = await publishedTemplate(service)
  const { templateVersions } = context.repositories
  const repositories = { ...context.repositories, templateVersions: { ...templateVersions, content: async () => null } }
  expect(await fillTemplates({ ...context, repositories }, service.teamId, { entries: [entryOf({ template: { id } })], takeRoom })).toEqual(
    [{ refusal: { kind: 'notFound', message: 'Template not found' } }],
  )
})

it('takes what has the form of an id for one, and everything else for an alias', () => {
  expect(templateReference('0193A5C2-7d4e-7b1a-9c3f-2e5d8a6b4c10')).toEqual({ id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10' })
  expect(templateReference('0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c1')).toEqual({ alias: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c1' })
})
