test_that("a state keeps values by key", {
  state <- mcptool_state_factory(list(a = 1))
  state$set("b", NULL)
  expect_equal(state$keys(), c("a", "b"))
  expect_true(state$has("b"))
  expect_equal(state$get("c", missing = "none"), "none")
  state$remove("a")
  expect_equal(state$size(), 1L)
  state$clear()
  expect_equal(state$as_list(), structure(list(), names = character()))
})

test_that("values are described as a model reads them", {
  expect_equal(mcp_describe(NULL), "NULL")
  expect_equal(mcp_describe(5L), "5L")
  expect_equal(mcp_describe("a"), "\"a\"")
  expect_match(mcp_describe(iris)[1], "data frame with 150 rows and 5 columns")
  expect_match(mcp_describe(mcptool_state_factory(list(a = 1))), "1 keys: a")
})
