// The pages on which a person signs in or lets a program in, and those of errors, with hostile text in every place.

import { grantListPage } from '../../../src/console/grants/list-page.ts'
import { consolePage } from '../../../src/console/shell/console-page.ts'
import { frontPage } from '../../../src/console/shell/front-page.ts'
import { notice } from '../../../src/console/shell/notice.ts'
import { frontPageText } from '../../../src/http/pages/front-page.ts'
import { passkeyPage } from '../../../src/modules/accounts/passkeys/passkey-page.ts'
import {
  firstOwnerPage,
  invitationPage,
  joinedPage,
  linkPage,
  linkSentPage,
  signInChoicesPage,
  signInPage,
} from '../../../src/modules/accounts/people/sign-in-page.ts'
import { answerPage, bouncePage, consentNotice, consentPage } from '../../../src/modules/oauth/consent/consent.pages.ts'
import { chooseConsentTexts } from '../../../src/modules/oauth/consent/texts.ts'
import { checkPages, page } from './hostile-places.ts'

const NOW = new Date(0)
const WAY = { address: '/', name: 'n' }

const consent = {
  ...{ uid: 'u', name: 'n', clientId: 'c', uri: 'u', redirectUri: 'r', scope: 's', logo: 'l', other: 'o', missing: 'm' },
  ...{ email: 'e', role: 'r', team: { id: 'i', name: 'n' } },
}
const askedBy = ({ uid, name, clientId, uri, redirectUri, scope }: typeof consent) => ({
  ...{ uid, redirectUri, scopes: [scope, 'full_access'], resource: null, mustAsk: false },
  client: { clientId, name, uri, logoUri: null, isDocument: false },
})
const deciderBy = ({ email, role, team, scope, other, missing }: typeof consent) => ({
  ...{ email, role, team: { ...team, color: null }, scopes: [scope, 'full_access'], lacking: [missing] },
  otherTeams: [{ id: other, name: other }],
})
const CONSENT_READING = chooseConsentTexts('en')

checkPages({
  'a program that asks for access': page(consent, (view) =>
    consentPage(CONSENT_READING, { asked: askedBy(view), logo: view.logo, decider: deciderBy(view) }),
  ),
  'a program that asks a person who is not signed in': page(consent, (view) =>
    consentPage(CONSENT_READING, {
      asked: { ...askedBy(view), client: { ...askedBy(view).client, isDocument: true } },
      logo: null,
      decider: null,
    }),
  ),
  'the way back to a request for access': page({ uid: 'u' }, ({ uid }) => bouncePage(CONSENT_READING, uid)),
  'a request for access that is gone': page({ title: 't', note: 'n' }, (view) => consentNotice(CONSENT_READING, view)),
  'a refusal': page(
    { client: 'c', path: 'p' },
    ({ client, path }) => answerPage({ acceptLanguage: 'en', isRefusal: true, client, address: `https://editor.example/${path}` }).text,
  ),
  'the grants': page(
    { teamName: 't', id: 'i', name: 'n', person: 'p', scope: 's', key: { id: 'k', name: 'n' }, after: 'a', note: 'n' },
    (view) =>
      grantListPage({
        ...{ teamName: view.teamName, now: NOW, note: view.note, older: { after: view.after } },
        rows: [
          {
            allowedBy: { id: 'p', email: 'e', name: view.person },
            ...{ id: view.id, clientId: 'c', scopes: [view.scope], resource: null, createdAt: NOW, lastUsedAt: NOW },
            ...{ revokedAt: null, revokedReason: null, client: { name: view.name, logoUri: null, clientId: 'c' } },
          },
        ],
        keys: [{ ...view.key, grantId: view.id }],
      }),
  ),
  'signing in': page({ problem: 'p', next: '/n' }, (view) =>
    frontPageText(
      signInPage({
        ...view,
        hasProvider: true,
        passkeyOrigin: 'http://localhost:3000',
        isMailCertain: false,
        takesKey: true,
        hasOwners: true,
      }),
    ),
  ),
  'the passkeys': page(
    { id: 'i', name: 'n', host: 'h', address: 'a', browser: 'b', confirmAt: 'c', origin: 'o' },
    (view) =>
      frontPageText(
        passkeyPage({
          ...{ now: NOW, site: { host: 'localhost', origin: view.origin }, browser: view.browser, done: 'added' },
          rows: [{ ...view, createdAt: NOW, usedAt: NOW }],
          confirmAt: null,
        }),
      ) +
      frontPageText(
        passkeyPage({ now: NOW, site: { host: view.host, origin: 'o' }, rows: [], browser: '', done: null, confirmAt: view.confirmAt }),
      ),
  ),
  'a link that was sent': page({ email: 'e' }, ({ email }) => frontPageText(linkSentPage({ email, isMailCertain: false }))),
  'a sign-in link': page({ token: 't', email: 'e' }, (view) => frontPageText(linkPage({ ...view, isOtherBrowser: true }))),
  'the first owner': page({ token: 't', teamName: 'n', problem: 'p', email: 'e', name: 'm' }, (view) =>
    frontPageText(firstOwnerPage(view)),
  ),
  'an invitation': page({ token: 't', email: 'e', teamName: 'n', invitedBy: 'i', problem: 'p' }, ({ token, problem, ...view }) =>
    frontPageText(
      invitationPage({
        token,
        problem,
        isKnown: false,
        invitation: { ...view, id: 'i', role: 'owner', teamId: 't', createdAt: NOW, expiresAt: NOW },
      }),
    ),
  ),
  'what someone joined': page({ teamName: 'n', email: 'e' }, (view) => frontPageText(joinedPage(view))),
  'what someone may open': page({ name: 'p', choices: [{ name: 'n', path: '/p', teamId: 't' }], next: '/n' }, (view) =>
    frontPageText(signInChoicesPage(view)),
  ),
  'an error of the console': page({ title: 't', message: 'm', teamName: 'n' }, ({ title, message, teamName }) =>
    consolePage({ title, section: null, teamName, main: notice({ title, message, way: WAY }) }),
  ),
  'an error for anyone': page({ title: 't', message: 'm' }, ({ title, message }) =>
    frontPage({ title, main: notice({ title, message, way: WAY }) }),
  ),
})
