import { preferredLanguage } from '../../../http/headers.ts'

export const en = {
  from: 'Mail from',
  title: 'Your email preferences',
  address: 'Email address:',
  topics: 'What would you like to receive?',
  save: 'Save',
  saved: 'Your choice has been saved.',
  everything: 'No more mail at all?',
  everythingNote: 'Messages about something that you did yourself, such as a receipt or a new password, can still reach you.',
  unsubscribe: 'Unsubscribe from everything',
  unsubscribed: 'You are unsubscribed',
  unsubscribedNote: 'This address no longer receives newsletters or other mailings.',
  subscribe: 'Subscribe again',
  suppressedNote: 'The sender has stopped mail to this address. To get mail again, please write to the sender.',
  exampleNote: 'This link is an example of a recipient’s link. It changes nothing.',
  topicLeft: 'You are unsubscribed from this topic',
  topicLeftNote: 'You will get no more mail of this kind.',
  preferences: 'Choose what you receive',
  badLink: 'This link does not work',
  badLinkNote: 'Part of it is missing or was changed. Please open it from the email again, or copy the whole link.',
  problem: 'This did not work',
  incompleteNote: 'What was sent is not complete, and nothing was changed. Please go back and try again.',
  busyNote: 'Please try again in a few minutes.',
  tooManyNote: 'Too many links that do not work were opened from your network. Please wait a minute and try again.',
}

/** The words of the page in one language. */
export type UnsubscribeTexts = typeof en

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

export const es: UnsubscribeTexts = {
  from: 'Correos de',
  title: 'Sus preferencias de correo',
  address: 'Dirección de correo:',
  topics: '¿Qué desea recibir?',
  save: 'Guardar',
  saved: 'Su elección se ha guardado.',
  everything: '¿No desea recibir nada más?',
  everythingNote: 'Los mensajes sobre sus propias acciones, como un recibo o una contraseña nueva, pueden seguir llegándole.',
  unsubscribe: 'Darse de baja de todo',
  unsubscribed: 'Su baja se ha registrado',
  unsubscribedNote: 'Esta dirección ya no recibe boletines ni otros envíos colectivos.',
  subscribe: 'Volver a suscribirse',
  suppressedNote: 'El remitente ha detenido los envíos a esta dirección. Para volver a recibirlos, escríbale.',
  exampleNote: 'Este enlace es un ejemplo del enlace de un destinatario. No cambia nada.',
  topicLeft: 'Su baja de este tema se ha registrado',
  topicLeftNote: 'Ya no recibirá correos de este tipo.',
  preferences: 'Elegir lo que recibe',
  badLink: 'Este enlace no funciona',
  badLinkNote: 'Se modificó por el camino o le falta una parte. Ábralo de nuevo desde el correo o cópielo entero.',
  problem: 'No ha funcionado',
  incompleteNote: 'Los datos han llegado incompletos y no se ha cambiado nada. Vuelva atrás e inténtelo de nuevo.',
  busyNote: 'Inténtelo de nuevo dentro de unos minutos.',
  tooManyNote: 'Desde su red han llegado demasiados enlaces que no funcionan. Espere un minuto e inténtelo de nuevo.',
}

// A non-breaking space precedes `:` and `?`.
export const fr: UnsubscribeTexts = {
  from: 'E-mails de',
  title: 'Vos préférences d’abonnement',
  address: 'Adresse e-mail\u00a0:',
  topics: 'Que souhaitez-vous recevoir\u00a0?',
  save: 'Enregistrer',
  saved: 'Votre choix est enregistré.',
  everything: 'Ne plus rien recevoir\u00a0?',
  everythingNote:
    'Les messages liés à ce que vous avez fait vous-même, comme une facture ou un nouveau mot de passe, peuvent encore vous parvenir.',
  unsubscribe: 'Se désabonner de tout',
  unsubscribed: 'Votre désabonnement est enregistré',
  unsubscribedNote: 'Cette adresse ne reçoit plus ni lettres d’information ni autres envois groupés.',
  subscribe: 'Se réabonner',
  suppressedNote: 'L’expéditeur a arrêté les envois à cette adresse. Pour en recevoir à nouveau, écrivez-lui.',
  exampleNote: 'Ce lien est un exemple du lien d’un destinataire. Il ne change rien.',
  topicLeft: 'Votre désabonnement de ce thème est enregistré',
  topicLeftNote: 'Vous ne recevrez plus d’e-mails de ce type.',
  preferences: 'Choisir ce que vous recevez',
  badLink: 'Ce lien ne fonctionne pas',
  badLinkNote: 'Il a été modifié en chemin ou il en manque une partie. Ouvrez-le de nouveau depuis l’e-mail ou copiez-le en entier.',
  problem: 'Cela n’a pas fonctionné',
  incompleteNote: 'L’envoi est incomplet et rien n’a été modifié. Veuillez revenir en arrière et réessayer.',
  busyNote: 'Veuillez réessayer dans quelques minutes.',
  tooManyNote: 'Trop de liens qui ne fonctionnent pas sont venus de votre réseau. Veuillez attendre une minute et réessayer.',
}

export type Reading = { language: 'en' | 'de' | 'fr' | 'es'; texts: UnsubscribeTexts }

const TEXTS: Record<Reading['language'], UnsubscribeTexts> = { en, de, fr, es }

/** The language of a reader, by the header Accept-Language. English if none of ours is wanted. */
export function chooseTexts(acceptLanguage: string | undefined): Reading {
  const language = preferredLanguage(acceptLanguage, ['en', 'de', 'fr', 'es'])
  return { language, texts: TEXTS[language] }
}
