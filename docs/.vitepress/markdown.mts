import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { DOCS, firstPageIn } from './contents.mts'

const ROOT = path.resolve(DOCS, '..')

export const REPOSITORY = 'https://github.com/lockspring/lock-spring-boot-starter'

/** Elements that a page may contain; what else looks like one is text, such as List<String>. */
const ELEMENTS = new Set('a b br code details div em i img kbd p picture source strong sub summary sup'.split(' '))

/** After these, the end of a line is no space. */
const IDEOGRAPHIC = /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]$/u

/** Renders pages as GitHub does: nothing in them is a template, and links lead to files. */
export function asOnGitHub(md: MarkdownRenderer): void {
  const { rules } = md.renderer
  for (const name of ['text', 'text_special', 'code_inline', 'html_inline', 'html_block']) {
    const rule = rules[name]!
    rules[name] = (...args) => withoutComponents(rule(...args)).replaceAll('{{', '{&#123;')
  }
  const fence = rules.fence!
  rules.fence = (...args) => {
    const { info, content } = args[0][args[1]]
    return info.trim() === 'mermaid' ? `<Mermaid code="${encodeURIComponent(content)}" />` : fence(...args)
  }
  rules.softbreak = (tokens, index) => IDEOGRAPHIC.test(textBefore(tokens, index)) ? '' : '\n'
  md.core.ruler.push('heading_first', ({ tokens }) => {
    // Links to translations, for which the site has a menu
    tokens.splice(0, Math.max(tokens.findIndex(({ tag }) => tag === 'h1'), 0))
  })
  md.core.ruler.push('links_to_files', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'link_open') {
        token.attrSet('href', resolve(token.attrGet('href')!, env.path))
      }
    }
  })
}

/** The anchors of GitHub, which keep neither dots nor other punctuation. */
export function slugify(heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '').replaceAll(' ', '-')
}

function withoutComponents(html: string): string {
  return html.replace(/<(?=\/?([a-z][\w.:-]*))/gi, (opening, name) => ELEMENTS.has(name) ? opening : '&lt;')
}

function textBefore(tokens: { content: string }[], index: number): string {
  return tokens.slice(0, index).findLast(({ content }) => content)?.content ?? ''
}

function resolve(link: string, page: string): string {
  if (/^([a-z][a-z+.-]*:|#)/i.test(link)) {
    return link
  }
  const [, name, fragment] = link.match(/^([^#]*)(.*)$/)!
  const file = path.resolve(path.dirname(page), decodeURI(name))
  if (!existsSync(file)) {
    throw new Error(`${path.relative(ROOT, page)} links to ${link}, which does not exist`)
  }
  const isFolder = statSync(file).isDirectory()
  const target = path.relative(DOCS, file)
  if (target.startsWith('..') || !isFolder && !target.endsWith('.md')) {
    return `${REPOSITORY}/${isFolder ? 'tree' : 'blob'}/main/${path.relative(ROOT, file)}${fragment}`
  }
  return '/' + (isFolder ? firstPageIn(target) : target).replace(/README\.md$/, 'index.md') + fragment
}
