// The page of an email that was submitted over SMTP.
import { expect, it } from 'vitest'
import { emailInput, send } from '../../support/builders/emails.ts'
import { signIn, visit } from '../../support/clients/console.ts'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const service = shared(() => startSubmissionService())

it('leads to its line in the request log, and that of another email to the requests of the API', async () => {
  const { id } = await service.emailOf(await service.handIn('From: hello@example.com\r\nTo: ada@example.com\r\n\r\nHello'))
  const posted = await send(service, emailInput())
  await service.service.context.repositories.requestLogs.flush()
  const cookie = await signIn(service)
  const logOf = async (email: unknown) => {
    const { text } = await visit(service, 'GET', `/console/emails/${email}`, { cookie })
    const link = /<a href="([^"]*)">when it was accepted</.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    return { link, lines: (await visit(service, 'GET', link, { cookie })).text }
  }
  const submitted = await logOf(id)
  expect(submitted.link).toMatch(/^\/console\/logs\?path=%2Fsubmission&method=SMTP&from=/)
  expect(submitted.lines).toContain('/submission')
  expect(submitted.lines).toContain('<option value="SMTP" selected')
  const { link, lines } = await logOf(posted)
  expect(link).toMatch(/^\/console\/logs\?path=%2Femails&method=POST&from=/)
  expect(lines).not.toContain('>/submission<')
})
