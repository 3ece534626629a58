/** esbuild gives the text of the file. */
declare module "*.svg" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: it stands for a file, which has no names
  export default text;
}

/** It has no types of its own; this much is used. */
declare module "swagger-ui" {
  const SwaggerUi: (options: {
    domNode: HTMLElement;
    url: string;
    deepLinking: boolean;
    docExpansion: "none";
    filter: boolean;
    tagsSorter: "alpha";
    validatorUrl: null;
  }) => void;
  // biome-ignore lint/style/noDefaultExport: the package has one
  export default SwaggerUi;
}
