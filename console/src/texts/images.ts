import { countOf } from '../parts/numbers'
export const IMAGE_TEXTS = {
  title: 'Images',
  what: 'Pictures for your mail and the pages of your team. Each has an address that never changes. Anyone who has the address can see the picture.',
  empty: 'There is no image yet.',
  upload: 'Upload an image',
  drop: 'Or drop a picture here.',
  dropHint: 'A PNG, JPEG, GIF or WebP of at most 10 MB. What else is in the file, such as the place of a photo, is removed.',
  noImage: 'Only one PNG, JPEG, GIF or WebP of at most 10 MB can be uploaded at a time.',
  stored: (name: string) => `“${name}” is stored`,
  choose: 'Choose an image',
  use: (name: string) => `Use ${name}`,
  mayNot: 'Your role cannot see the images of the team.',
  animated: 'animated',
  takenDown: 'Taken down by the operator',
  picture: 'Picture',
  uses: 'Where it is used',
  broadcasts: (count: number) =>
    count === 0
      ? 'No broadcast that was sent shows it.'
      : `${count === 1 ? '1 broadcast that was sent shows' : `${countOf(count)} broadcasts that were sent show`} it, also in mail that people have already.`,
  unsent: (count: number) =>
    count === 1 ? '1 draft or scheduled broadcast has it.' : `${countOf(count)} drafts and scheduled broadcasts have it.`,
  templates: (count: number) =>
    count === 0 ? 'No template has it.' : count === 1 ? '1 template has it.' : `${countOf(count)} templates have it.`,
  isLogo: 'It is the logo of the team.',
  otherUses: 'Only the newest 500 of each are looked through. It may stand in single emails and in automations too.',
  details: 'Details',
  address: 'Address',
  size: 'Size',
  type: 'Type',
  storedAt: 'Uploaded',
  id: 'Id',
  remove: 'Delete the image',
  removeMeans: 'Its address shows nothing from then on, wherever it stands.',
  removeLogo: 'It is the logo of the team, which then has none.',
  removed: 'The image is deleted',
}
