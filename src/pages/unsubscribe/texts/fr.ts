import type { UnsubscribeTexts } from './en.ts'

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
