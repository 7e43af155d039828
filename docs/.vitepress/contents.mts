import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { DefaultTheme } from 'vitepress'

export const DOCS = path.resolve(import.meta.dirname, '..')

const LINK = /\]\(([^):#]+)[^):]*\)/g

const join = path.posix.join

/**
 * The sidebar of a language, which is the folder of its pages: the sections of README.md
 * and the pages to which they link. A link to a folder, or to the README.md of a folder,
 * stands for all pages in it that have no link of their own.
 */
export function sidebar(language: string): DefaultTheme.SidebarItem[] {
  const contents = join(language, 'README.md')
  const sections = read(contents).split(/^## /m).slice(1).map((section) => ({
    text: section.split('\n', 1)[0],
    links: [...section.matchAll(LINK)].map(([, link]) => join(language, link)).filter(isPageOrFolder),
  }))
  const linked = new Set(sections.flatMap(({ links }) => links))
  const groups = sections.map(({ text, links }) => ({
    text,
    pages: [...links.filter(isPage), ...links.flatMap(pagesBehind).filter((page) => !linked.has(page))],
  }))
  const grouped = new Set([contents, ...groups.flatMap(({ pages }) => pages)])
  const missing = pagesIn(language).filter((page) => !grouped.has(page))
  if (missing.length) {
    throw new Error(`No section of docs/${contents} links to ${missing.join(', ')}, or to their folders`)
  }
  return groups.map(({ text, pages }) => ({
    text,
    collapsed: pages.length > 12,
    items: pages.map((page) => ({ text: title(page), link: route(page) })),
  }))
}

/** The pages in a folder, without those of other languages. */
export function pagesIn(folder: string): string[] {
  return readdirSync(path.join(DOCS, folder), { withFileTypes: true })
    .filter(({ name }) => !/^(\..*|node_modules|[a-z]{2}-[A-Z]{2})$/.test(name))
    .flatMap((file) => {
      const name = join(folder, file.name)
      return file.isDirectory() ? pagesIn(name) : isPage(name) ? [name] : []
    })
}

/** The routes of the pages of a language, each with that of the page in English to which it links. */
export function translations(language: string): [string, string][] {
  return pagesIn(language).map((page) => {
    const original = read(page).match(/\[English\]\(([^)]+)\)/)
    if (!original) {
      throw new Error(`docs/${page} does not link to the page in English`)
    }
    return [route(page), route(join(path.dirname(page), original[1]))]
  })
}

/** The page at which a link to a folder leads. */
export function firstPageIn(folder: string): string {
  return pagesBehind(folder)[0]
}

function route(page: string): string {
  return '/' + page.replace(/(README)?\.md$/, '')
}

function pagesBehind(link: string): string[] {
  if (isPage(link) && !link.endsWith('/README.md')) {
    return []
  }
  return pagesIn(link.replace(/\/?(README\.md)?$/, ''))
    .map((page) => ({ page, rank: page.endsWith('/README.md') ? '' : title(page) }))
    .sort((one, other) => one.rank.localeCompare(other.rank))
    .map(({ page }) => page)
}

function isPage(file: string): boolean {
  return file.endsWith('.md')
}

function isPageOrFolder(file: string): boolean {
  return !file.startsWith('..') && (isPage(file) || !path.extname(file))
}

function title(page: string): string {
  const heading = read(page).match(/^# (.+)$/m)
  if (!heading) {
    throw new Error(`docs/${page} has no heading`)
  }
  return heading[1].replaceAll('`', '').replaceAll('<', '&lt;')
}

function read(page: string): string {
  return readFileSync(path.join(DOCS, page), 'utf8')
}
