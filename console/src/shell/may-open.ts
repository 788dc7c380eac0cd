import { useMay, useMe } from '../session/me'
import { SECTIONS, sectionsOf } from './sections'

/** Whether someone may open an address of the console, such as `/emails/1`: as the navigation decides. */
export function useMayOpen(): (address: string) => boolean {
  const me = useMe()
  const may = useMay()
  return (address) => {
    const part = address.split(/[/?#]/)[1] ?? ''
    const section = SECTIONS.find(({ path }) => path === part)
    return section === undefined || section.group === 'none' || sectionsOf(me, may).includes(section)
  }
}
