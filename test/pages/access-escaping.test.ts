// The pages on which a person signs in or lets a program in, and those of errors, with hostile text in every place.
import { answerPage } from '../../src/pages/consent/answer-page.ts'
import { bouncePage, consentNotice, consentPage } from '../../src/pages/consent/consent-page.ts'
import { consentReadingOf } from '../../src/pages/consent/texts/texts.ts'
import { grantListPage } from '../../src/pages/grants/list-page.ts'
import { oneTimePage, signInPage } from '../../src/pages/session/session-page.ts'
import { consolePage } from '../../src/pages/shell/console-page.ts'
import { frontPage } from '../../src/pages/shell/front-page.ts'
import { notice } from '../../src/pages/shell/notice.ts'
import { checkPages, page } from './hostile-places.ts'

const NOW = new Date(0)
const WAY = { address: '/', name: 'n' }

const consent = {
  ...{ uid: 'u', name: 'n', clientId: 'c', uri: 'u', redirectUri: 'r', scope: 's', logo: 'l', team: { id: 'i', name: 'n' } },
}
const askedBy = ({ uid, name, clientId, uri, redirectUri, scope }: typeof consent) => ({
  ...{ uid, redirectUri, scopes: [scope, 'full_access'], resource: null, mustAsk: false },
  client: { clientId, name, uri, logoUri: null, isDocument: false },
})
const CONSENT_READING = consentReadingOf('en')

checkPages({
  'a program that asks for access': page(consent, (view) =>
    consentPage(CONSENT_READING, { asked: askedBy(view), logo: view.logo, team: view.team }),
  ),
  'a program that asks a person who is not signed in': page(consent, (view) =>
    consentPage(CONSENT_READING, {
      asked: { ...askedBy(view), client: { ...askedBy(view).client, isDocument: true } },
      logo: null,
      team: null,
    }),
  ),
  'the way back to a request for access': page({ uid: 'u' }, ({ uid }) => bouncePage(CONSENT_READING, uid)),
  'a request for access that is gone': page({ title: 't', note: 'n' }, (view) => consentNotice(CONSENT_READING, view)),
  'a refusal': page(
    { client: 'c', path: 'p' },
    ({ client, path }) => answerPage({ acceptLanguage: 'en', isRefusal: true, client, address: `https://editor.example/${path}` }).text,
  ),
  'the grants': page({ teamName: 't', id: 'i', name: 'n', scope: 's', key: { id: 'k', name: 'n' }, after: 'a', note: 'n' }, (view) =>
    grantListPage({
      ...{ teamName: view.teamName, now: NOW, note: view.note, older: { after: view.after } },
      rows: [
        {
          ...{ id: view.id, clientId: 'c', scopes: [view.scope], resource: null, createdAt: NOW, lastUsedAt: NOW },
          ...{ revokedAt: null, revokedReason: null, client: { name: view.name, logoUri: null, clientId: 'c' } },
        },
      ],
      keys: [{ ...view.key, grantId: view.id }],
    }),
  ),
  'signing in': page({ problem: 'p', next: '/n' }, (view) => signInPage({ ...view, hasProvider: true })),
  'a sign-in link': page({ token: 't', teamName: 'n' }, oneTimePage),
  'an error of the console': page({ title: 't', message: 'm', teamName: 'n' }, ({ title, message, teamName }) =>
    consolePage({ title, section: null, teamName, main: notice({ title, message, way: WAY }) }),
  ),
  'an error for anyone': page({ title: 't', message: 'm' }, ({ title, message }) =>
    frontPage({ title, main: notice({ title, message, way: WAY }) }),
  ),
})
