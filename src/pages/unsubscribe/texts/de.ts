import type { UnsubscribeTexts } from './en.ts'

export const de: UnsubscribeTexts = {
  from: 'E-Mails von',
  title: 'Ihre E-Mail-Einstellungen',
  address: 'E-Mail-Adresse:',
  topics: 'Was möchten Sie erhalten?',
  save: 'Speichern',
  saved: 'Ihre Auswahl ist gespeichert.',
  everything: 'Gar keine E-Mails mehr?',
  everythingNote:
    'Nachrichten zu etwas, das Sie selbst getan haben, etwa eine Rechnung oder ein neues Passwort, können Sie weiterhin erreichen.',
  unsubscribe: 'Von allem abmelden',
  unsubscribed: 'Sie sind abgemeldet',
  unsubscribedNote: 'An diese Adresse gehen keine Newsletter und keine anderen Rundmails mehr.',
  subscribe: 'Wieder anmelden',
  suppressedNote: 'Der Absender hat E-Mails an diese Adresse gestoppt. Bitte schreiben Sie ihm, wenn Sie wieder welche erhalten möchten.',
  exampleNote: 'Dieser Link ist ein Beispiel für den Link eines Empfängers. Er ändert nichts.',
  topicLeft: 'Sie sind von diesem Thema abgemeldet',
  topicLeftNote: 'Sie erhalten keine E-Mails dieser Art mehr.',
  preferences: 'Auswählen, was Sie erhalten',
  badLink: 'Dieser Link funktioniert nicht',
  badLinkNote:
    'Er wurde unterwegs verändert, oder ein Teil von ihm fehlt. Bitte öffnen Sie ihn noch einmal aus der E-Mail, oder kopieren Sie ihn ganz.',
  problem: 'Das hat nicht funktioniert',
  incompleteNote:
    'Die Angaben sind nicht vollständig angekommen, und nichts wurde geändert. Bitte gehen Sie zurück und versuchen Sie es noch einmal.',
  busyNote: 'Bitte versuchen Sie es in einigen Minuten noch einmal.',
  tooManyNote:
    'Aus Ihrem Netz kamen zu viele Links, die nicht funktionieren. Bitte warten Sie eine Minute und versuchen Sie es dann noch einmal.',
}
