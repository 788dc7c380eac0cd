// People who are signed in, and call operations as a page of ours would in their browser.
import type { MemberRole } from '../../../src/lib/member-roles.ts'
import { sessionCookieName } from '../../../src/modules/accounts/sessions/sessions.pages.ts'
import { beginSession, createDocumentationToken, openPersonSession } from '../../../src/modules/accounts/sessions/sessions.service.ts'
import type { Answer, TestService } from '../servers/service.ts'

/** What a page of ours sends with each request in a browser. */
export const OWN_PAGE = { 'posthaste-console': '1', 'sec-fetch-site': 'same-origin' }

export type SignedInPerson = { id: string; sessionId: string; cookie: string; documentationToken: string | null }

/** A session of its own for the person of this name, who joins the teams if they are not there. */
export async function signInPerson(
  { service: { context } }: Pick<TestService, 'service'>,
  name: string,
  {
    roles = {},
    browser = 'Firefox/140 Linux',
    email = `${name}@people.example`,
  }: { roles?: Record<string, MemberRole>; browser?: string; email?: string } = {},
): Promise<SignedInPerson> {
  const { persons } = context.repositories
  const { id } = await persons.ensureAcrossTeams(email, name)
  for (const [teamId, role] of Object.entries(roles)) await persons.addMember(teamId, id, role)
  const token = await beginSession(context, { personId: id, teamId: null }, { method: 'link', address: '127.0.0.1', browser })
  const session = await openPersonSession(context, token)
  if (session === null) throw new Error('Not signed in')
  const documentation = await createDocumentationToken(context, token)
  return {
    ...{ id, sessionId: session.id, cookie: `${sessionCookieName(context.publicUrl)}=${token}` },
    documentationToken: documentation?.token ?? null,
  }
}

export const callAs = (
  service: Pick<TestService, 'call'>,
  { cookie }: Pick<SignedInPerson, 'cookie'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> => service.call(method, path, { token: null, headers: { cookie, ...OWN_PAGE }, ...(body !== undefined && { body }) })
