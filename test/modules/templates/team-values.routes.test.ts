// What a team says of itself in its templates: {{{TEAM_NAME}}}, {{{TEAM_COLOR}}}. A variable of such a name comes first.
import { expect, it } from 'vitest'
import { createTemplate, publishedTemplate } from '../../support/builders/templates.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
const CONTENT = {
  subject: 'From {{{TEAM_NAME}}}',
  html: '<p style="color: {{{TEAM_COLOR|#333333}}}">{{{TEAM_NAME}}}</p>',
}

const render = async (id: string, variables: object = {}) => {
  const { body } = await service.call('POST', `/templates/${id}/render`, { body: { variables } })
  const { subject, html, missing } = body as { subject: string; html: string; missing: string[] }
  return { subject, html, missing }
}
const update = (body: object) => service.call('PATCH', '/team', { body })

it('is filled in where no variable has the name', async () => {
  await update({ name: 'Bread & Co', color: '#1d4fc4' })
  const id = await createTemplate(service, { ...CONTENT, variables: [] })
  const html = '<p style="color: #1d4fc4">Bread &amp; Co</p>'
  expect(await render(id)).toMatchObject({ subject: 'From Bread & Co', html })
  await update({ color: null })
  expect(await render(id)).toMatchObject({ html: '<p style="color: #333333">Bread &amp; Co</p>' })
})

it('gives way to a variable that the template declares, and to a value that is given', async () => {
  await update({ name: 'Bread & Co', color: '#1d4fc4' })
  const declared = await createTemplate(service, {
    ...CONTENT,
    variables: [
      { key: 'TEAM_NAME', type: 'string' },
      { key: 'TEAM_COLOR', type: 'string' },
    ],
  })
  expect(await render(declared, { TEAM_NAME: 'The Reds', TEAM_COLOR: 'teal' })).toMatchObject({
    subject: 'From The Reds',
    html: '<p style="color: teal">The Reds</p>',
  })
  // Without a value it is missing, as it was before.
  const sending = {
    to: 'delivered@simulator.test',
    template: { id: await publishedTemplate(service, { ...CONTENT, variables: [{ key: 'TEAM_NAME', type: 'string' }] }) },
  }
  expect(await service.call('POST', '/emails', { body: sending })).toMatchObject({
    status: 422,
    body: { message: 'Missing `template.variables.TEAM_NAME` field: the template has no fallback for it.' },
  })
  const undeclared = await createTemplate(service, { ...CONTENT, variables: [] })
  expect(await render(undeclared, { TEAM_NAME: 'The Blues' })).toMatchObject({ subject: 'From The Blues' })
})

it('stands in the emails that are made of it', async () => {
  await update({ name: 'Bread', color: '#00ff00' })
  const template = { id: await publishedTemplate(service, { ...CONTENT, variables: [] }) }
  const sent = await service.call('POST', '/emails', { body: { to: 'delivered@simulator.test', template } })
  const { id } = sent.body as { id: string }
  expect((await service.call('GET', `/emails/${id}`)).body).toMatchObject({
    subject: 'From Bread',
    html: '<p style="color: #00ff00">Bread</p>',
  })
})
