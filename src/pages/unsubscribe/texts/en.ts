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
  unsubscribedNote: 'No more newsletters and no other mailings are sent to this address.',
  subscribe: 'Subscribe again',
  suppressedNote: 'The sender has stopped mail to this address. To get mail again, please write to the sender.',
  exampleNote: 'This link is an example of a recipient’s link. It changes nothing.',
  topicLeft: 'You are unsubscribed from this topic',
  topicLeftNote: 'You get no more mail of this kind.',
  preferences: 'Choose what you receive',
  badLink: 'This link does not work',
  badLinkNote: 'It was changed on its way, or a part of it is missing. Please open it from the email again, or copy the whole of it.',
  problem: 'This did not work',
  incompleteNote: 'What was sent is not complete, and nothing was changed. Please go back and try again.',
  busyNote: 'Please try again in a few minutes.',
  tooManyNote: 'Too many links that do not work were sent from your network. Please wait a minute and try again.',
}

/** The words of the page in one language. */
export type UnsubscribeTexts = typeof en
