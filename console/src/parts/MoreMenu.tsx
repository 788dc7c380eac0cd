import { Button, Menu } from '@mantine/core'
import { MoreHorizontal } from 'lucide-react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

export type MenuAct = { name: string; onClick: () => void; isDestructive?: boolean }

type MoreMenuProps = {
  acts: readonly MenuAct[]
  isBusy?: boolean
}

/** A menu for what is done rarely or cannot be undone. It is the last but one button of a page. */
export const MoreMenu = ({ acts, isBusy = false }: MoreMenuProps) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <Button variant="default" px="xs" aria-label={TEXTS.moreActs} loading={isBusy}>
        <MoreHorizontal size={18} />
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {acts.map(({ name, onClick, isDestructive = false }) => (
        <Menu.Item key={name} onClick={onClick} {...(isDestructive && { color: 'red' })}>
          {name}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
)
